import { BlockList, isIP, isIPv4 } from 'node:net';

/** IPv4 networks that are not public (RFC 6890): this host, private, shared, loopback, link-local, tests, multicast. */
const PRIVATE_V4 = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE_V4.addSubnet(network, bits, 'ipv4');
}

const GLOBAL_V6 = new BlockList();
GLOBAL_V6.addSubnet('2000::', 3, 'ipv6');
/**
 * Parts of the public IPv6 network that are not on the public internet, or that embed an IPv4 address: protocols (with
 * Teredo), documentation, 6to4.
 */
const SPECIAL_V6 = new BlockList();
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  SPECIAL_V6.addSubnet(network, bits, 'ipv6');
}

/**
 * True if a text is an IP address on the public internet. False for a private, local or special address, and for any
 * other text.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !PRIVATE_V4.check(address, 'ipv4');
  return isIP(address) === 6 && GLOBAL_V6.check(address, 'ipv6') && !SPECIAL_V6.check(address, 'ipv6');
}
