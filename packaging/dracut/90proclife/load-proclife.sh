#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
modprobe proclife
