// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel's proc connector reports. Threads are left out. The event of an exec has no name in it, so it
 * is read from /proc at once, as all users of the connector have to: if the process is gone already, there
 * is none. The kernel numbers the events of each CPU, so what the socket could not hold is known by
 * the gaps.
 */
#include "listen.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/exact/write_plain.h"

#define CPUS 4096

static void set_listening(int fd, enum proc_cn_mcast_op op)
{
	struct {
		struct nlmsghdr head;
		struct cn_msg message;
		enum proc_cn_mcast_op op;
	} __attribute__((packed)) request = {
		.head.nlmsg_len = sizeof(request),
		.head.nlmsg_type = NLMSG_DONE,
		.message.id = { .idx = CN_IDX_PROC, .val = CN_VAL_PROC },
		.message.len = sizeof(op),
		.op = op,
	};

	if (send(fd, &request, sizeof(request), 0) != sizeof(request))
		err(1, "proc connector");
}

static int open_connector(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	int fd = open_socket(NETLINK_CONNECTOR, "proc connector");

	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		err(1, "proc connector");
	set_listening(fd, PROC_CN_MCAST_LISTEN);
	return fd;
}

static void read_name(pid_t pid, char *name, size_t size)
{
	char path[32];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, name, size - 1);
		close(fd);
	}
	name[n > 0 ? n : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

static void write_event(FILE *out, const struct proc_event *e)
{
	uint64_t ts = e->timestamp_ns;
	char name[NAME_SIZE];

	switch (e->what) {
	case PROC_EVENT_FORK:
		if (e->event_data.fork.child_pid != e->event_data.fork.child_tgid)
			break;
		write_event_of(out, ts, "fork", e->event_data.fork.child_pid);
		fprintf(out, " %d\n", e->event_data.fork.parent_tgid);
		break;
	case PROC_EVENT_EXEC:
		read_name(e->event_data.exec.process_tgid, name, sizeof(name));
		write_event_of(out, ts, "exec", e->event_data.exec.process_tgid);
		write_name(out, name);
		putc('\n', out);
		break;
	case PROC_EVENT_COMM:
		if (e->event_data.comm.process_pid != e->event_data.comm.process_tgid)
			break;
		write_event_of(out, ts, "name", e->event_data.comm.process_tgid);
		write_name(out, e->event_data.comm.comm);
		putc('\n', out);
		break;
	case PROC_EVENT_EXIT:
		if (e->event_data.exit.process_pid != e->event_data.exit.process_tgid)
			break;
		write_event_of(out, ts, "exit", e->event_data.exit.process_tgid);
		fprintf(out, " %u\n", e->event_data.exit.exit_code);
		/* The process to be notified, which in the forest is the one that waits. */
		write_event_of(out, ts, "reap", e->event_data.exit.process_tgid);
		fprintf(out, " %d\n", e->event_data.exit.parent_tgid);
		break;
	default:
		break;
	}
}

/* Events of a CPU are numbered consecutively. */
static unsigned int count_lost(const struct cn_msg *message, unsigned int cpu)
{
	static unsigned int next[CPUS];
	static bool known[CPUS];
	unsigned int lost = 0;

	if (cpu >= CPUS)
		return 0;
	if (known[cpu])
		lost = message->seq - next[cpu];
	known[cpu] = true;
	next[cpu] = message->seq + 1;
	return lost;
}

void listen_connector(FILE *out)
{
	char buffer[4096] __attribute__((aligned(8)));
	unsigned long long lost = 0;
	int fd = open_connector();

	ready();
	while (!stop) {
		const struct nlmsghdr *head = (void *)buffer;
		const struct cn_msg *message = NLMSG_DATA(head);
		const struct proc_event *event = (void *)message->data;
		ssize_t n = recv(fd, buffer, sizeof(buffer), 0);

		if (n < 0 && (errno == EINTR || errno == ENOBUFS || errno == EAGAIN))
			continue;
		if (n < 0)
			err(1, "proc connector");
		if ((size_t)n < NLMSG_LENGTH(sizeof(*message)) + sizeof(*event) ||
		    event->what == PROC_EVENT_NONE)
			continue;
		lost += count_lost(message, event->cpu);
		write_event(out, event);
	}
	fprintf(out, "lost %llu\n", lost);
	set_listening(fd, PROC_CN_MCAST_IGNORE);
}
