# SPDX-License-Identifier: GPL-2.0-only
# What is given away: the sources as a tar file.

DIST := proclife-$(VERSION)

# The files that git knows, as they stand here. Its bytes depend on them and on the last commit's time,
# not on who makes it, where or when.
dist:
	@git rev-parse HEAD >/dev/null || { echo 'make dist: needs the git repository and git' >&2; exit 1; }
	@mkdir -p $B
	$Qgit ls-files -z | LC_ALL=C sort -z | tar -c -f $B/$(DIST).tar --format=gnu --owner=0 --group=0 \
		--numeric-owner --mode=u=rwX,go=rX --mtime=@$$(git log -1 --format=%ct) \
		--transform='s,^,$(DIST)/,' --no-recursion --null -T -
	$Qgzip -9nf $B/$(DIST).tar
	@echo $B/$(DIST).tar.gz

.PHONY: dist
