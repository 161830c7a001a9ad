#!/usr/bin/env bash
# on_two_hosts.sh WORD...: mpirun --hostfile with one rank on each of two hosts, which are two network
# namespaces joined by a pair of virtual interfaces. Exit code 77 where this machine allows none.
set -euo pipefail
a=spml-a-$$ b=spml-b-$$
if ! ip netns add "$a" 2>/dev/null; then
  echo "this machine allows no network namespaces" >&2
  exit 77
fi
folder=$(mktemp -d)
trap 'ip netns del "$a"; ip netns del "$b" 2>/dev/null || true; rm -rf "$folder"' EXIT
ip netns add "$b"
ip link add va netns "$a" type veth peer name vb netns "$b"
ip -n "$a" addr add 10.99.0.1/24 dev va
ip -n "$b" addr add 10.99.0.2/24 dev vb
for side in "$a lo" "$b lo" "$a va" "$b vb"; do ip -n ${side% *} link set ${side#* } up; done

# What starts the second daemon stands in for ssh.
cat >"$folder/agent" <<AGENT
#!/bin/sh
shift  # the host: there is one other
exec ip netns exec $b unshare --uts sh -c "hostname spml-host-b; \$*"
AGENT
chmod +x "$folder/agent"
printf '10.99.0.1 slots=1\n10.99.0.2 slots=1\n' >"$folder/hosts"
ip netns exec "$a" mpirun --allow-run-as-root --mca plm_rsh_agent "$folder/agent" --mca btl tcp,self \
  --mca btl_tcp_if_include 10.99.0.0/24 --mca oob_tcp_if_include 10.99.0.0/24 \
  --hostfile "$folder/hosts" -n 2 "$@"
