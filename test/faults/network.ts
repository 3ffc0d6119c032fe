import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isSwiftInstalled } from '#test/storage/swift.ts';

/** The hosts on which the service runs. The third host is this process: it has the database, the bucket and the model. */
export const hosts = ['a', 'b'] as const;
export type Host = (typeof hosts)[number];

export const address: Record<Host | 'services', string> = {
  services: '10.77.0.1',
  a: '10.77.0.2',
  b: '10.77.0.3',
};

/** Returns why two hosts cannot be made on this machine; undefined if they can. */
export function missingForHosts(): string | undefined {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  if (!isSwiftInstalled) return 'OpenStack Swift is not installed (Debian: swift-proxy and swift-object)';
  const program = ['ip', 'nft', 'unshare'].find((name) =>
    ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].every((folder) => !existsSync(`${folder}/${name}`)),
  );
  return program && `${program} is not installed (Debian: iproute2, nftables, util-linux)`;
}

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const ip = (line: string) => run('ip', ...line.split(' '));

/** How the data of a TCP packet begins whose header has 32 bytes, as all after the handshake. */
const startsWith = {
  response: '@th,256,64 0x485454502f312e31',
  put: '@th,256,32 0x50555420',
  getHeadOrDelete: '@th,256,32 {0x47455420,0x48454144,0x44454c45}',
};

/**
 * Makes two hosts that reach this process, and each other, by a bridge. This process must have a network namespace of its
 * own (`unshare --net`): its interfaces and rules end with it.
 * The hosts reach the services that listen on 127.0.0.1 here at `address.services`.
 */
export function openNetwork() {
  const space = (host: Host) => `lingualoop-${process.pid}-${host}`;
  const nft = (host: Host | undefined, rule: string) =>
    host ? ip(`netns exec ${space(host)} nft ${rule}`) : run('nft', ...rule.split(' '));
  ip('link set lo up');
  ip('link add bridge0 type bridge');
  ip(`addr add ${address.services}/24 dev bridge0`);
  ip('link set bridge0 up');
  run('sysctl', '-qw', 'net.ipv4.conf.bridge0.route_localnet=1');
  nft(undefined, 'add table ip services');
  nft(undefined, 'add chain ip services arriving { type nat hook prerouting priority dstnat ; }');
  nft(undefined, 'add rule ip services arriving iifname bridge0 dnat to 127.0.0.1');
  for (const host of hosts) {
    ip(`netns add ${space(host)}`);
    ip(`link add host-${host} type veth peer name eth0 netns ${space(host)}`);
    ip(`link set host-${host} master bridge0 up`);
    ip(`-n ${space(host)} addr add ${address[host]}/24 dev eth0`);
    for (const device of ['lo', 'eth0']) ip(`-n ${space(host)} link set ${device} up`);
    nft(host, 'add table ip lost');
    nft(host, 'add chain ip lost sent { type filter hook output priority 0 ; }');
    nft(host, 'add chain ip lost received { type filter hook input priority 0 ; }');
    nft(host, 'add counter ip lost responses');
  }
  return {
    /** The command with which a program runs on a host. */
    on: (host: Host) => ['ip', 'netns', 'exec', space(host)],
    /** Cuts a host off, without the end of any connection. */
    cut: (host: Host) => void ip(`link set host-${host} down`),
    join: (host: Host) => void ip(`link set host-${host} up`),
    /** Loses all responses of a bucket to writes of a host: the bucket has the object, and its connection ends. */
    loseResponses(host: Host, port: number) {
      nft(host, `add rule ip lost sent tcp dport ${port} ${startsWith.getHeadOrDelete} ct mark set 1`);
      nft(host, `add rule ip lost sent tcp dport ${port} ${startsWith.put} ct mark set 2`);
      nft(
        host,
        `add rule ip lost received tcp sport ${port} ct mark 2 ${startsWith.response} counter name responses reject with tcp reset`,
      );
    },
    deliverResponses: (host: Host) => void nft(host, 'flush table ip lost'),
    /** The number of responses that were lost. */
    lostResponses: (host: Host) =>
      Number(/packets (\d+)/.exec(nft(host, 'list counter ip lost responses'))?.[1] ?? 0),
    close() {
      for (const host of hosts) ip(`netns del ${space(host)}`);
    },
  };
}

export type Network = ReturnType<typeof openNetwork>;
