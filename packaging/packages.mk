# SPDX-License-Identifier: GPL-2.0-only
# What is given away: the sources as a tar file, and the packages made from it.

DIST := proclife-$(VERSION)

# The files that git knows, as they stand here. Its bytes depend on them and on the last commit's
# time, not on who makes it, where or when.
dist:
	@below=$$(git rev-parse --show-prefix) && [ -z "$$below" ] && git rev-parse -q --verify HEAD >/dev/null || { \
		echo 'make dist: needs git and the repository, of which this folder is not the top' >&2; exit 1; }
	@mkdir -p $B
	$Qgit ls-files -z | LC_ALL=C sort -z | tar -c -f $B/$(DIST).tar --format=gnu --owner=0 \
		--group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@$$(git log -1 --format=%ct) \
		--transform='s,^,$(DIST)/,' --no-recursion --null -T -
	$Qgzip -9nf $B/$(DIST).tar
	@echo $B/$(DIST).tar.gz

# debian/ lies in packaging/ here and at the top of what Debian builds.
deb: dist
	@tests/scripts/setup packages
	@rm -rf $B/deb && mkdir -p $B/deb
	$Qcp $B/$(DIST).tar.gz $B/deb/proclife_$(VERSION).orig.tar.gz
	$Qtar -xf $B/$(DIST).tar.gz -C $B/deb
	$Qcp -r $B/deb/$(DIST)/packaging/debian $B/deb/$(DIST)/
	$Qcd $B/deb/$(DIST) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
		dpkg-buildpackage -us -uc $(DEB_FLAGS)

# Programs, library and akmod; KERNEL=RELEASE: the kmod for that kernel instead. Debian's rpmbuild
# knows nothing of what is installed. Elsewhere, packages have other names.
rpm: dist
	@! command -v apt-get >/dev/null && command -v rpmbuild >/dev/null || tests/scripts/setup rpm
	$Qrpmbuild --nodeps --define '_topdir $(abspath $B)/rpm' \
		$(if $(KERNEL),--define 'kernels $(KERNEL)') -ta $B/$(DIST).tar.gz

# SUITES="bookworm sid" on these suites of Debian alone.
check-packages:
	tests/scripts/setup packages vm suites
	tests/scripts/packages $(SUITES)
	tests/scripts/boot $(SUITES)

.PHONY: dist deb rpm check-packages
