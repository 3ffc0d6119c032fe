import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { checkIssuer, openOutbound } from '#server/identity/auth/sso/outbound.ts';
import { openSsoProvider } from '#server/identity/auth/sso/provider.ts';
import { rangeOf } from '#server/platform/outbound/address-range.ts';
import type { Resolve } from '#server/platform/outbound/checked-lookup.ts';
import { SettingsError } from '#server/settings.ts';
import { clientId, expectFailed, newExchange, useProvider } from './provider.ts';

const idp = useProvider();
const { open, dance } = idp;

describe('the issuer', () => {
  test.each([
    'https://idp.example',
    'https://idp.example/tenant/v2.0/',
    'https://10.0.0.1',
    'http://127.0.0.1:8080',
    'http://localhost:8080/realm',
    'http://idp.localhost',
    'http://[::1]:8080',
  ])('C 7: %s can be used', (issuer) => {
    expect(() => checkIssuer(issuer)).not.toThrow();
    expect(() => open({ issuer })).not.toThrow();
  });

  test.each([
    'http://idp.example',
    'http://10.0.0.1',
    'http://0.0.0.0:8080',
    'http://localhost.example',
    'http://127.0.0.1.example',
    'https://idp.example/?tenant=1',
    'https://idp.example/#tenant',
    'https://user:password@idp.example',
    'https://idp.example/.well-known/openid-configuration',
  ])('C 7: %s cannot', (issuer) => {
    expect(() => checkIssuer(issuer)).toThrow(/^OIDC_ISSUER: /);
    expect(() => open({ issuer })).toThrow(SettingsError);
  });

  test.each(['OIDC_ISSUER', 'OIDC_CLIENT_ID'])('%s is required', (name) => {
    const settings = {
      OIDC_ISSUER: idp.provider.issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: undefined,
      OIDC_ORG_CLAIM: 'org_id',
    };
    expect(() => openSsoProvider({ ...settings, [name]: undefined })).toThrow(name);
  });
});

describe('the provider’s endpoint addresses', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['10.0.0.0', 'private'],
    ['10.255.255.255', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.127.255.255', 'private'],
    ['fc00::1', 'private'],
    ['fdff::1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['169.254.169.254', 'link_local'],
    ['::ffff:169.254.169.254', 'link_local'],
    ['64:ff9b::a9fe:a9fe', 'link_local'],
    ['fe80::1', 'link_local'],
    ['fe80::1%eth0', 'link_local'],
    ['febf::1', 'link_local'],
    ['0.0.0.0', 'reserved'],
    ['0.1.2.3', 'reserved'],
    ['::', 'reserved'],
    ['::10.0.0.1', 'reserved'],
    ['192.0.0.170', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['203.0.113.1', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['2002:a00:1::', 'reserved'],
    ['2001::1', 'reserved'],
    ['ff02::1', 'reserved'],
    ['idp.example', 'reserved'],
    ['', 'reserved'],
    ['9.255.255.255', 'public'],
    ['11.0.0.0', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['192.167.255.255', 'public'],
    ['100.63.255.255', 'public'],
    ['100.128.0.0', 'public'],
    ['169.253.255.255', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['2606:4700::1', 'public'],
  ])('%s is %s', (address, range) => {
    expect(rangeOf(address)).toBe(range);
  });

  const members = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'];
  const unusable: [string, RegExp][] = [
    ['https://10.0.0.1/x', /private/],
    ['https://192.168.0.1/x', /private/],
    ['https://169.254.169.254/x', /link_local/],
    ['https://[fd00::1]/x', /private/],
    ['https://[::ffff:10.0.0.1]/x', /private/],
    ['https://0x0a.1/x', /private/],
    ['https://167772161/x', /private/],
    ['https://0.0.0.0/x', /reserved/],
    ['http://idp.example/x', /neither https/],
    ['http://93.184.216.34/x', /neither https/],
    ['ftp://127.0.0.1/x', /neither https/],
    ['javascript:alert(1)', /neither https/],
    ['x', /not an address/],
  ];
  test.each(members.flatMap((member) => unusable.map((how) => [member, ...how] as const)))(
    'C 7: %s %s is refused',
    async (member, address, reason) => {
      idp.provider.faults = { metadata: { [member]: address } };
      await expectFailed(idp.sso.authorizationUrl(newExchange()), reason);
    },
  );

  test('addresses in a private range are allowed only if the issuer is in that range', () => {
    const refused = (issuer: string, address: string) =>
      expect(() => openOutbound(issuer).check(address)).toThrow(/and the issuer is not/);
    const allowed = (issuer: string, address: string) =>
      expect(() => openOutbound(issuer).check(address)).not.toThrow();
    allowed('https://93.184.216.34', 'https://93.184.216.35');
    refused('https://93.184.216.34', 'http://127.0.0.1:5432');
    refused('https://93.184.216.34', 'https://10.0.0.1');
    refused('https://idp.example', 'https://10.0.0.1');
    allowed('https://10.0.0.1', 'https://192.168.1.1');
    refused('https://10.0.0.1', 'https://127.0.0.1');
    refused('https://10.0.0.1', 'https://169.254.169.254');
    allowed('http://127.0.0.1:1', 'http://[::1]:2');
    refused('http://127.0.0.1:1', 'https://10.0.0.1');
  });

  const at =
    (...addresses: string[]): Resolve =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

  test.each([
    ['a private address', ['10.0.0.1'], /private/],
    ['a public address and a private one', ['93.184.216.34', '10.0.0.1'], /private/],
    ['the metadata service of a cloud', ['169.254.169.254'], /link_local/],
    ['an IPv4 address written in IPv6', ['::ffff:10.0.0.1'], /private/],
  ])('C 7: a name that resolves to %s is refused', async (_, addresses, reason) => {
    idp.provider.faults = { metadata: { token_endpoint: 'https://tokens.example/token' } };
    const by = open({ resolve: at(...addresses) });
    await expectFailed(by.identify('a code', newExchange()), reason);
  });

  test('`localhost` is refused unless the issuer is on it', async () => {
    idp.provider.faults = { metadata: { token_endpoint: 'http://localhost:8080/token' } };
    const by = open({ resolve: at('93.184.216.34') });
    await expectFailed(by.identify('a code', newExchange()), /not on the loopback address/);
  });

  test('the address that was checked is the one connected to, after one lookup', async () => {
    const { port } = new URL(idp.provider.issuer);
    idp.provider.faults = { metadata: { token_endpoint: `http://tokens.localhost:${port}/token` } };
    const resolve = vi.fn(at('127.0.0.1'));
    expect(await dance(open({ resolve }))).toMatchObject({ subject: 'ada-1' });
    expect(resolve.mock.calls).toEqual([['tokens.localhost']]);
  });

  test('a refused address is not connected to', async () => {
    const server = createServer();
    const dialled = vi.fn();
    server.on('connection', dialled).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const outbound = openOutbound('https://93.184.216.34', { resolve: at('127.0.0.1') });
    const request = { method: 'GET', headers: {}, body: null, redirect: 'manual' as const };
    for (const address of [`https://tokens.example:${port}`, `http://localhost:${port}`])
      await expect(outbound.fetch(address, request)).rejects.toThrow(/loopback/);
    expect(dialled).not.toHaveBeenCalled();
    server.close();
  });

  test('every request resolves and connects anew', async () => {
    const resolve = vi.fn(at('127.0.0.1'));
    const issuer = `http://idp.localhost:${new URL(idp.provider.issuer).port}`;
    const outbound = openOutbound(issuer, { resolve });
    const request = { method: 'GET', headers: {}, body: null, redirect: 'manual' as const };
    for (const times of [1, 2, 3]) {
      expect((await outbound.fetch(`${issuer}/jwks`, request)).status).toBe(200);
      expect(resolve).toHaveBeenCalledTimes(times);
    }
  });

  test('an issuer with addresses in two ranges allows neither', async () => {
    const resolve = at('93.184.216.34', '127.0.0.1');
    const by = open({ issuer: 'https://idp.example', resolve });
    await expectFailed(by.authorizationUrl(newExchange()), /loopback address, and the issuer is not/);
  });

  test('an issuer that moves to another range after its discovery is refused', async () => {
    const resolve = vi.fn(at('127.0.0.1'));
    const { port } = new URL(idp.provider.issuer);
    const outbound = openOutbound(`https://idp.example:${port}`, { resolve });
    const request = { method: 'GET', headers: {}, body: null, redirect: 'manual' as const };
    const ask = () => outbound.fetch(`https://idp.example:${port}/`, request);
    // Nothing there speaks TLS, so the connection is made and then fails.
    await expect(ask()).rejects.toThrow(/https:\/\/idp\.example/);
    resolve.mockImplementation(at('10.0.0.1'));
    await expect(ask()).rejects.toThrow(/private address, and the issuer is not/);
  });
});
