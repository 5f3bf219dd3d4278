# shellcheck shell=bash disable=SC2154,SC2034,SC2015 # a part of run, with which it shares variables
# SPDX-License-Identifier: GPL-2.0-only
# The guest's kind of machine. If it differs from this machine, nothing is compiled in the guest: all is
# cross-built in a root of this machine's kind, and no other emulator than the guest's is needed.

# arch_set NAME: NAME is Debian's name of an architecture, or empty for this machine's. Sets
#   arch          that name
#   arch_foreign  yes, or empty
#   arch_triplet  the compiler's triplet
#   arch_kbuild   the arguments of the kernel's make
#   arch_tools    the arguments of ours
#   arch_apt      the options of apt
#   arch_qemu     the emulator
#   arch_qemu_packages  its packages, besides the common ones
#   arch_machine  its options
#   arch_cpu      the options of an emulated CPU
#   arch_console  the guest's console
arch_set() {
	local found
	arch=${1:-amd64} arch_foreign='' arch_kbuild=() arch_tools=() arch_apt=()
	case $arch in
	amd64)
		arch_qemu=qemu-system-x86_64 arch_machine='pc,hpet=off' arch_console=ttyS0
		arch_qemu_packages=(qemu-system-x86 seabios)
		# With page tables of five levels, an interrupt while 6.1 identifies its first CPU (seen once)
		# is a report of KASAN: for that moment, CPUs have no features, and the kernel only four levels.
		arch_cpu=max,+invtsc,-la57
		return
		;;
	arm64)
		# Not max: stress-ng's vfork dies of SIGILL on it, and computing the signatures of pointers
		# takes half of the time.
		arch_triplet=aarch64-linux-gnu arch_kbuild=(ARCH=arm64) arch_qemu=qemu-system-aarch64
		arch_machine=virt,gic-version=3 arch_cpu=neoverse-n1 arch_console=ttyAMA0 arch_qemu_packages=(qemu-system-arm)
		;;
	riscv64)
		arch_triplet=riscv64-linux-gnu arch_kbuild=(ARCH=riscv) arch_qemu=qemu-system-riscv64
		# With aia, kernels make other CPUs empty their TLBs by interrupts of their own. Without,
		# OpenSBI 1.5 does that, and hangs if one of these CPUs is taken offline meanwhile.
		arch_machine=virt,aia=aplic-imsic arch_cpu=rv64
		arch_console=ttyS0 arch_qemu_packages=(qemu-system-riscv opensbi)
		;;
	*) fail "--arch $arch: must be amd64, arm64 or riscv64" 129 ;;
	esac
	arch_foreign=yes
	arch_kbuild+=("CROSS_COMPILE=$arch_triplet-")
	found=/usr/lib/$arch_triplet/pkgconfig:/usr/share/pkgconfig
	arch_tools=("CC=$arch_triplet-gcc" "AR=$arch_triplet-ar" HOSTCC=gcc
		"PKG_CONFIG=env PKG_CONFIG_LIBDIR=$found pkg-config")
	arch_apt=(-o "APT::Architecture=$arch" -o "APT::Architectures::=$arch"
		-o APT::Architectures::=amd64)
}
