// SPDX-License-Identifier: GPL-2.0-only
/* taskstats: what the kernel reports of each thread as it exits. */
#include "witness.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ATTRIBUTE(header) ((struct nlattr *)((char *)(header) + NLMSG_HDRLEN + GENL_HDRLEN))

static volatile sig_atomic_t stopped;

static void stop(int signo)
{
	(void)signo;
	stopped = 1;
}

struct message {
	struct nlmsghdr header;
	struct genlmsghdr generic;
	char attributes[256];
};

static void ask(int fd, uint16_t family, uint8_t command, uint16_t type, const char *text)
{
	struct message m = { .generic = { .cmd = command, .version = 1 } };
	struct nlattr *attribute = (struct nlattr *)m.attributes;

	attribute->nla_type = type;
	attribute->nla_len = (uint16_t)(NLA_HDRLEN + strlen(text) + 1);
	memcpy((char *)attribute + NLA_HDRLEN, text, strlen(text) + 1);
	m.header.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN + NLA_ALIGN(attribute->nla_len);
	m.header.nlmsg_type = family;
	m.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	if (send(fd, &m, m.header.nlmsg_len, 0) < 0)
		die("netlink");
}

static struct nlattr *next(struct nlattr *attribute)
{
	return (struct nlattr *)((char *)attribute + NLA_ALIGN(attribute->nla_len));
}

static uint16_t find_family(int fd)
{
	uint16_t family = 0;
	char buffer[8192];
	ssize_t n;

	ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);
	n = recv(fd, buffer, sizeof(buffer), 0);
	if (n < (ssize_t)(NLMSG_HDRLEN + GENL_HDRLEN) ||
	    ((struct nlmsghdr *)buffer)->nlmsg_type == NLMSG_ERROR) {
		errno = ENOENT;
		die("taskstats");
	}
	for (struct nlattr *a = ATTRIBUTE(buffer); (char *)a < buffer + n; a = next(a))
		if (a->nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&family, (char *)a + NLA_HDRLEN, sizeof(family));
	if (recv(fd, buffer, sizeof(buffer), 0) < 0) /* the acknowledgement */
		die("netlink");
	return family;
}

static void put(FILE *file, const struct taskstats *s)
{
	fprintf(file, "%u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %" PRIu64 " %" PRIu64 " %" PRIu64 " %.32s\n", s->ac_pid, s->ac_ppid, s->ac_uid,
		(uint64_t)s->cpu_run_virtual_total, (uint64_t)s->ac_utime, (uint64_t)s->ac_stime,
		(uint64_t)s->ac_etime, (uint64_t)s->ac_minflt, (uint64_t)s->ac_majflt,
		(uint64_t)s->nvcsw, (uint64_t)s->nivcsw, (uint64_t)s->hiwater_rss, s->ac_comm);
}

/* A thread that exits has its own figures first, and its group's behind if it is the last one. */
static void take(FILE *file, char *buffer, ssize_t n)
{
	struct nlmsghdr *header = (struct nlmsghdr *)buffer;
	char *end = buffer + n;

	if (header->nlmsg_type == NLMSG_ERROR)
		return;
	for (struct nlattr *a = ATTRIBUTE(buffer); (char *)a + NLA_HDRLEN < end; a = next(a)) {
		char *within = (char *)a + NLA_HDRLEN;

		if (a->nla_type != TASKSTATS_TYPE_AGGR_PID)
			continue;
		for (struct nlattr *b = (struct nlattr *)within; (char *)b < (char *)a + a->nla_len;
		     b = next(b)) {
			struct taskstats stats = { 0 };
			size_t size = b->nla_len - NLA_HDRLEN;

			if (b->nla_type != TASKSTATS_TYPE_STATS)
				continue;
			memcpy(&stats, (char *)b + NLA_HDRLEN,
			       size < sizeof(stats) ? size : sizeof(stats));
			put(file, &stats);
		}
	}
}

int stats_listen(const char *path)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC), room = 64 << 20;
	struct sigaction action = { .sa_handler = stop };
	FILE *file = fopen(path, "w");
	char buffer[16384], cpus[32];
	uint16_t family;
	ssize_t n;

	if (fd < 0 || !file)
		die(path);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	family = find_family(fd);
	snprintf(cpus, sizeof(cpus), "0-%ld", sysconf(_SC_NPROCESSORS_ONLN) - 1);
	ask(fd, family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus);
	n = recv(fd, buffer, sizeof(buffer), 0);
	if (n < (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr)) ||
	    ((struct nlmsgerr *)NLMSG_DATA(buffer))->error) {
		errno = EPERM;
		die("taskstats");
	}
	sigaction(SIGTERM, &action, NULL);
	puts("ready");
	fflush(stdout);
	for (;;) {
		n = recv(fd, buffer, sizeof(buffer), stopped ? MSG_DONTWAIT : 0);
		if (n > 0)
			take(file, buffer, n);
		else if (stopped && errno == EAGAIN)
			break;
		else if (errno != EINTR)
			die("taskstats"); /* ENOBUFS: some are lost */
	}
	return fclose(file) ? 1 : 0;
}

void stats_read(struct witnesses *witnesses, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];

	if (!file)
		die(path);
	while (fgets(line, sizeof(line), file)) {
		struct stats_life *l;
		int at = 0;

		witnesses->stats = grown(witnesses->stats, witnesses->stats_count, sizeof(*l));
		l = &witnesses->stats[witnesses->stats_count++];
		memset(l, 0, sizeof(*l));
		if (sscanf(line, "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNu64
			   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			   " %" SCNu64 " %" SCNu64 " %n", &l->pid, &l->ppid, &l->uid, &l->runtime, &l->utime,
			   &l->stime, &l->elapsed, &l->min_flt, &l->maj_flt, &l->nvcsw, &l->nivcsw,
			   &l->most_rss, &at) != 12)
			die(line);
		line[strcspn(line, "\n")] = '\0';
		snprintf(l->comm, sizeof(l->comm), "%.15s", line + at);
	}
	fclose(file);
}
