#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# page_rows.pl COLUMNS ROWS TEXTS - prints what a page of --html shows of each life: its PID, its name, and how it
# ended, as page/data.js unpacks it. ROWS and TEXTS are the page's parts, and the order of the columns is that
# of the enum in COLUMNS, views/page_columns.c.
use strict;
use warnings;

sub slurp { local (@ARGV, $/) = @_; <> }

# Takes a number from the argument, and leaves the rest in it.
sub uint {
	my ($value, $shift) = (0, 0);
	for (;;) {
		my $byte = ord(substr($_[0], 0, 1, ''));
		$value |= ($byte & 127) << $shift;
		$shift += 7;
		return $value if $byte < 128;
	}
}

# After two equal values comes the number of further repetitions.
sub column {
	my ($part, $count, @values, $last) = @_;
	while (@values < $count) {
		my $value = uint($part);
		push @values, $value;
		push(@values, ($value) x uint($part)), undef $value if defined $last && $value == $last;
		$last = $value;
	}
	return \@values;
}

my ($order, $rows, $texts) = map { slurp($_) } @ARGV;
my ($names) = $order =~ /enum column \{(.*?)COLUMNS,/s or die "$ARGV[0]: no columns\n";
my $count = uint($rows);
my %of = map { ($_ => column(substr($rows, 0, uint($rows), ''), $count)) } $names =~ /\w+/g;
my @sizes = map { uint($texts) } 1 .. uint($texts);
my @strings = ('', map { substr($texts, 0, $_, '') } @sizes);
my $pid = 0;
for my $row (0 .. $count - 1) {
	my $by = $of{PID}[$row];
	$pid += $by % 2 ? -($by + 1) / 2 : $by / 2;
	print "$pid $strings[$of{COMM}[$row]]  $strings[$of{END}[$row]]\n";
}
