#!/bin/sh
# For a Debian that may be changed, as root (tools/bare_root --only package): makes the packages, installs them as a user
# would, and builds programs with nothing but what is installed.
set -eux
cd "$(dirname "$0")/../.."
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -qy --no-install-recommends g++ cmake ninja-build dpkg-dev file pkg-config
cmake --workflow --preset package
apt-get install -qy ./build/package/*.deb

weft version
programs=$(mktemp -d)
cp -r test/package/*.c* test/package/pkg_config test/package/find_package "$programs"
cd "$programs/pkg_config"
. ./build.sh
./program
./lab
./program_in_c
cmake -S ../find_package -B ../built
cmake --build ../built
../built/program
../built/explores
../built/lab
../built/program_in_c
