// SPDX-License-Identifier: GPL-2.0-only
/*
 * listen acct|connector|ftrace|taskstats FILE [KIB]: leave in FILE what the kernel reports of tasks, until SIGINT or
 * SIGTERM. Prints "ready" once it listens. KIB is what the socket holds. acct.h, listen.h and taskstats.h have
 * what is in FILE.
 */
#include "listen.h"

#include <err.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

volatile sig_atomic_t stop;
static int socket_bytes = 16 << 20;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

void ready(void)
{
	puts("ready");
	fflush(stdout);
}

int open_socket(int family, const char *what)
{
	const struct timeval second = { .tv_sec = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, family);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &socket_bytes, sizeof(socket_bytes)))
		err(1, "%s", what);
	return fd;
}

static void wait_for_stop(void)
{
	ready();
	while (!stop)
		sleep(1); /* which a signal ends; one that came just before does not */
}

static void listen_acct(const char *path)
{
	if (acct(path))
		err(1, "%s", path);
	wait_for_stop();
	if (acct(NULL))
		err(1, "acct");
}

static const void *value(const struct nlattr *attribute)
{
	return (const char *)attribute + NLA_HDRLEN;
}

/* The attribute of this type in @bytes of them, or NULL. */
static const struct nlattr *find(const struct nlattr *first, ssize_t bytes, int type)
{
	const char *end = (const char *)first + bytes;
	const struct nlattr *a = first;

	while ((const char *)value(a) <= end && a->nla_len >= NLA_HDRLEN) {
		if (a->nla_type == type)
			return a;
		a = (const void *)((const char *)a + NLA_ALIGN(a->nla_len));
	}
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
	if (head->nlmsg_type == NLMSG_ERROR)
		errx(1, "taskstats: %s", strerror(-((const struct nlmsgerr *)NLMSG_DATA(head))->error));
	*bytes = (ssize_t)head->nlmsg_len - (ssize_t)NLMSG_LENGTH(GENL_HDRLEN);
	return (const void *)((const char *)NLMSG_DATA(head) + GENL_HDRLEN);
}

static int family_of_taskstats(int fd)
{
	char buffer[8192] __attribute__((aligned(8)));
	const struct nlattr *first, *id;
	ssize_t bytes;

	ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);
	if (recv(fd, buffer, sizeof(buffer), 0) < 0)
		err(1, "taskstats");
	first = attributes((void *)buffer, &bytes);
	id = find(first, bytes, CTRL_ATTR_FAMILY_ID);
	if (!id)
		errx(1, "the kernel has no taskstats");
	return *(const uint16_t *)value(id);
}

/* All CPUs, by a list as the kernel takes it. */
static int open_taskstats(void)
{
	int fd = open_socket(NETLINK_GENERIC, "taskstats");
	char cpus[32];

	snprintf(cpus, sizeof(cpus), "0-%ld", sysconf(_SC_NPROCESSORS_ONLN) - 1);
	ask(fd, family_of_taskstats(fd), TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus);
	return fd;
}

/* A thread that exits has its own figures, and its group's behind if it is the last one. */
static void take(FILE *out, const struct nlmsghdr *head)
{
	const struct nlattr *first, *thread, *stats;
	struct taskstats s = {};
	ssize_t bytes;

	first = attributes(head, &bytes);
	thread = find(first, bytes, TASKSTATS_TYPE_AGGR_PID);
	if (!thread)
		return;
	stats = find(value(thread), thread->nla_len - NLA_HDRLEN, TASKSTATS_TYPE_STATS);
	if (!stats)
		return;
	bytes = stats->nla_len - NLA_HDRLEN;
	memcpy(&s, value(stats), (size_t)bytes < sizeof(s) ? (size_t)bytes : sizeof(s));
	fwrite(&s, sizeof(s), 1, out);
}

static void listen_taskstats(FILE *out)
{
	char buffer[16384] __attribute__((aligned(8)));
	const struct taskstats lost = {};
	int fd = open_taskstats();

	ready();
	for (;;) {
		ssize_t n = recv(fd, buffer, sizeof(buffer), stop ? MSG_DONTWAIT : 0);

		if (n >= (ssize_t)NLMSG_LENGTH(GENL_HDRLEN))
			take(out, (void *)buffer);
		else if (n < 0 && errno == ENOBUFS)
			fwrite(&lost, sizeof(lost), 1, out);
		else if (n < 0 && errno == EAGAIN && stop)
			break;
		else if (n < 0 && errno != EINTR && errno != EAGAIN)
			err(1, "taskstats");
	}
}

int main(int argc, char **argv)
{
	static const char usage[] = "usage: listen acct|connector|ftrace|taskstats FILE [KIB]";
	struct sigaction action = { .sa_handler = on_signal };
	FILE *out;

	if (argc < 3 || argc > 4)
		errx(129, "%s", usage);
	if (argc == 4)
		socket_bytes = atoi(argv[3]) * 1024;
	out = fopen(argv[2], "we");
	if (!out)
		err(1, "%s", argv[2]);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!strcmp(argv[1], "acct")) {
		listen_acct(argv[2]);
	} else if (!strcmp(argv[1], "connector")) {
		listen_connector(out);
	} else if (!strcmp(argv[1], "taskstats")) {
		listen_taskstats(out);
	} else if (!strcmp(argv[1], "ftrace")) {
		ftrace_start();
		wait_for_stop();
		ftrace_stop(out);
	} else {
		errx(129, "%s", usage);
	}
	if (fclose(out))
		err(1, "%s", argv[2]);
	return 0;
}
