// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskstats FILE [KIB]: write down what the kernel reports of each process as it ends, until SIGINT or SIGTERM,
 * in the judge's plain format; threads are left out. The beginning is a whole second of the
 * wall clock, computed from two clocks that are each rounded down. What the socket could not hold is
 * not counted by the kernel: "lost" is how often it was full, and more can be missing.
 */
#include <err.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "listener.h"
#include "write_plain.h"

static const struct nlattr *next(const struct nlattr *attribute)
{
	return (const void *)((const char *)attribute + NLA_ALIGN(attribute->nla_len));
}

static const void *value(const struct nlattr *attribute)
{
	return (const char *)attribute + NLA_HDRLEN;
}

/* The attribute of this type in @bytes of them, or NULL. */
static const struct nlattr *find(const struct nlattr *first, ssize_t bytes, int type)
{
	const char *end = (const char *)first + bytes;
	const struct nlattr *a;

	for (a = first; (const char *)a + NLA_HDRLEN <= end && a->nla_len >= NLA_HDRLEN; a = next(a))
		if (a->nla_type == type)
			return a;
	return NULL;
}

static void ask(int fd, int family, int command, int type, const char *text)
{
	struct {
		struct nlmsghdr head;
		struct genlmsghdr generic;
		struct nlattr attribute;
		char text[64];
	} request = {
		.head.nlmsg_type = family,
		.head.nlmsg_flags = NLM_F_REQUEST,
		.generic = { .cmd = command, .version = 1 },
		.attribute = { .nla_type = type, .nla_len = NLA_HDRLEN + strlen(text) + 1 },
	};

	snprintf(request.text, sizeof(request.text), "%s", text);
	request.head.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN) + NLA_ALIGN(request.attribute.nla_len);
	if (send(fd, &request, request.head.nlmsg_len, 0) < 0)
		err(1, "taskstats");
}

/* The attributes of a message; @bytes is set to their size. */
static const struct nlattr *attributes(const struct nlmsghdr *head, ssize_t *bytes)
{
	*bytes = (ssize_t)head->nlmsg_len - (ssize_t)NLMSG_LENGTH(GENL_HDRLEN);
	return (const void *)((const char *)NLMSG_DATA(head) + GENL_HDRLEN);
}

static int family_of_taskstats(int fd)
{
	char buffer[8192] __attribute__((aligned(8)));
	const struct nlmsghdr *head = (void *)buffer;
	const struct nlattr *first, *id = NULL;
	ssize_t bytes;

	ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);
	if (recv(fd, buffer, sizeof(buffer), 0) < 0)
		err(1, "taskstats");
	first = attributes(head, &bytes);
	if (head->nlmsg_type != NLMSG_ERROR)
		id = find(first, bytes, CTRL_ATTR_FAMILY_ID);
	if (!id)
		errx(1, "the kernel has no taskstats");
	return *(const uint16_t *)value(id);
}

/* All CPUs, by a list as the kernel takes it. */
static int open_taskstats(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	char cpus[32];

	if (fd < 0)
		err(1, "taskstats");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &socket_bytes, sizeof(socket_bytes)))
		err(1, "SO_RCVBUFFORCE");
	snprintf(cpus, sizeof(cpus), "0-%ld", sysconf(_SC_NPROCESSORS_ONLN) - 1);
	ask(fd, family_of_taskstats(fd), TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus);
	return fd;
}

static void write_life(FILE *out, const struct taskstats *s)
{
	write_event_of(out, s->ac_btime64 * 1000000000, "life", s->ac_pid);
	fprintf(out, " %u %u", s->ac_ppid, s->ac_exitcode);
	write_name(out, s->ac_comm);
	putc('\n', out);
}

/* A message has the figures of one thread and, for the last one, of the thread group. */
static void take(FILE *out, const struct nlmsghdr *head)
{
	const struct nlattr *first, *thread, *stats;
	struct taskstats s = {};
	ssize_t bytes;

	if (head->nlmsg_type == NLMSG_ERROR)
		errx(1, "taskstats: %s", strerror(-((const struct nlmsgerr *)NLMSG_DATA(head))->error));
	first = attributes(head, &bytes);
	thread = find(first, bytes, TASKSTATS_TYPE_AGGR_PID);
	if (!thread)
		return;
	stats = find(value(thread), thread->nla_len - NLA_HDRLEN, TASKSTATS_TYPE_STATS);
	if (!stats)
		return;
	bytes = stats->nla_len - NLA_HDRLEN;
	memcpy(&s, value(stats), (size_t)bytes < sizeof(s) ? (size_t)bytes : sizeof(s));
	if (s.ac_pid == s.ac_tgid)
		write_life(out, &s);
}

int main(int argc, char **argv)
{
	char buffer[16384] __attribute__((aligned(8)));
	unsigned long long lost = 0;
	FILE *out = listener_begin(argc, argv, "taskstats");
	int fd;

	fd = open_taskstats();
	fputs("clock realtime\nrounding 1.5\nnotified\n", out);

	while (!stop) {
		ssize_t n = recv(fd, buffer, sizeof(buffer), 0);

		if (n < 0 && errno == ENOBUFS)
			lost++;
		else if (n >= (ssize_t)NLMSG_LENGTH(GENL_HDRLEN))
			take(out, (void *)buffer);
		else if (n < 0 && errno != EINTR)
			err(1, "taskstats");
	}
	fprintf(out, "lost %llu\n", lost);
	if (fclose(out))
		err(1, "%s", argv[1]);
	return 0;
}
