// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "chardev.h"
#include "clock.h"
#include "compat.h"
#include "hooks.h"
#include "readers.h"
#include "rings.h"
#include "snapshot.h"

/*
 * Has root given the device to a group, and is the caller in it? The node in devtmpfs decides, as a
 * udev rule or chown(1) and chmod(1) have left it. Other nodes for the device decide nothing: a container can
 * make its own. As the group's own list of members is good on the machine only, so is this: in the initial
 * PID namespace, like the connector of process events.
 */
static bool is_granted(const struct inode *inode)
{
	return (inode->i_mode & 0040) && !gid_eq(inode->i_gid, GLOBAL_ROOT_GID) &&
	       in_group_p(inode->i_gid) && task_active_pid_ns(current) == &init_pid_ns &&
	       !strcmp(inode->i_sb->s_type->name, "devtmpfs");
}

/*
 * The records are about all users and all namespaces, as the records of tracefs and of perf for the
 * whole machine. So the mode of a file is not enough: CAP_DAC_READ_SEARCH overrides it, and the
 * root of a container owns the file. It takes the capability to observe the machine, or root's
 * word; in a user namespace, neither.
 */
static bool may_read(const struct inode *inode)
{
	return current_user_ns() == &init_user_ns && (perfmon_capable() || is_granted(inode));
}

static int chardev_open(struct inode *inode, struct file *file)
{
	struct reader *reader;
	int ret;

	ret = security_locked_down(LOCKDOWN_TRACEFS);
	if (ret)
		return ret;
	if (!may_read(inode))
		return -EPERM;

	reader = proclife_reader_new();
	if (!reader)
		return -ENOMEM;

	file->private_data = reader;
	proclife_rings_get();
	proclife_rings_refresh();
	proclife_hooks_refresh();
	return nonseekable_open(inode, file);
}

static int chardev_release(struct inode *inode, struct file *file)
{
	proclife_reader_free(file->private_data);
	proclife_rings_put();
	return 0;
}

static ssize_t chardev_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	struct reader *reader = file->private_data;
	u64 committed;
	int ret;

	if (len < sizeof(committed))
		return -EINVAL;

	if (file->f_flags & O_NONBLOCK) {
		if (!proclife_reader_ready(reader))
			return -EAGAIN;
	} else {
		ret = wait_event_interruptible(*proclife_reader_queue(reader),
					       proclife_reader_ready(reader));
		if (ret)
			return ret;
	}

	proclife_hooks_refresh();
	committed = proclife_rings_committed();
	if (copy_to_user(to, &committed, sizeof(committed)))
		return -EFAULT;
	proclife_reader_acknowledge(reader, committed);
	return sizeof(committed);
}

static __poll_t chardev_poll(struct file *file, poll_table *wait)
{
	struct reader *reader = file->private_data;

	poll_wait(file, proclife_reader_queue(reader), wait);
	return proclife_reader_ready(reader) ? EPOLLIN | EPOLLRDNORM : 0;
}

static long set_watermark(struct reader *reader, const void __user *from)
{
	struct proclife_watermark w;

	if (copy_from_user(&w, from, sizeof(w)))
		return -EFAULT;
	if (!w.records || w.records >= PROCLIFE_RING_NEVER || w.reserved)
		return -EINVAL;
	/* A type that this module does not have never comes. */
	proclife_reader_set_watermark(reader, w.records, w.types);
	return 0;
}

static long tell_time(void __user *to)
{
	struct proclife_clock clock = {};
	u64 boottime, realtime;

	/* The offsets change seldom, so that they are the same before and after means that they held then. */
	do {
		boottime = clock.to_boottime;
		realtime = clock.to_realtime;
		clock.now = proclife_clock_bound();
		proclife_rings_offsets(&clock.to_boottime, &clock.to_realtime);
	} while (clock.to_boottime != boottime || clock.to_realtime != realtime);
	return copy_to_user(to, &clock, sizeof(clock)) ? -EFAULT : 0;
}

static long chardev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case PROCLIFE_IOC_WATERMARK:
		return set_watermark(file->private_data, (void __user *)arg);
	case PROCLIFE_IOC_SNAPSHOT:
		return proclife_snapshot_take((void __user *)arg);
	case PROCLIFE_IOC_CLOCK:
		return tell_time((void __user *)arg);
	default:
		return -ENOTTY;
	}
}

/* The pages of a ring never change once it exists, so they can be mapped on the first touch. */
static vm_fault_t chardev_fault(struct vm_fault *vmf)
{
	struct page *page = proclife_rings_page(vmf->pgoff);

	if (!page)
		return VM_FAULT_SIGBUS;
	get_page(page);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct chardev_vm_ops = {
	.fault = chardev_fault,
};

static int chardev_mmap(struct file *file, struct vm_area_struct *vma)
{
	unsigned long pages = proclife_rings_header()->map_bytes >> PAGE_SHIFT;

	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	if (vma->vm_pgoff > pages || vma_pages(vma) > pages - vma->vm_pgoff)
		return -EINVAL;

	/*
	 * Without VM_MAYWRITE, neither mprotect() nor a debugger can make it writable later. VM_EXEC is not
	 * refused: with the personality READ_IMPLIES_EXEC, the kernel adds it to what a program asks for.
	 */
	compat_vm_flags(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_EXEC | VM_MAYEXEC);
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
	vma->vm_ops = &chardev_vm_ops;
	return 0;
}

static const struct file_operations chardev_fops = {
	.owner = THIS_MODULE,
	.open = chardev_open,
	.release = chardev_release,
	.read = chardev_read,
	.poll = chardev_poll,
	.unlocked_ioctl = chardev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = chardev_mmap,
	.llseek = noop_llseek,
};

static struct miscdevice chardev = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "proclife",
	.mode = 0400,
	.fops = &chardev_fops,
};

int proclife_chardev_init(void)
{
	return misc_register(&chardev);
}

void proclife_chardev_exit(void)
{
	misc_deregister(&chardev);
}
