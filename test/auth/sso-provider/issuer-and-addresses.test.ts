import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { checkIssuer, openOutbound } from '#server/identity/auth/sso/outbound.ts';
import { type Resolve, rangeOf } from '#server/platform/outbound/checked-lookup.ts';
import { SettingsError } from '#server/settings.ts';
import { expectFailed, newExchange, useProvider } from './provider.ts';

const idp = useProvider();
const { open, dance } = idp;

describe('the issuer', () => {
  test.each([
    'https://idp.example',
    'https://10.0.0.1',
    'http://127.0.0.1:8080',
    'http://localhost:8080/realm',
  ])('%s can be used', (issuer) => {
    expect(() => checkIssuer(issuer)).not.toThrow();
    expect(() => open({ issuer })).not.toThrow();
  });

  test.each([
    'http://idp.example',
    'http://10.0.0.1',
    'http://127.0.0.1.example',
    'https://idp.example/?tenant=1',
    'https://user:password@idp.example',
    'https://idp.example/.well-known/openid-configuration',
  ])('%s cannot', (issuer) => {
    expect(() => checkIssuer(issuer)).toThrow(/^OIDC_ISSUER: /);
    expect(() => open({ issuer })).toThrow(SettingsError);
  });
});

describe('the provider’s endpoint addresses', () => {
  test.each(
    Object.entries({
      loopback: '127.0.0.1 127.255.255.255 ::1 ::ffff:127.0.0.1 ::ffff:7f00:1',
      private:
        '10.0.0.0 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.255.255 fc00::1 fdff::1 ::ffff:10.0.0.1 64:ff9b::10.0.0.1',
      link_local: '169.254.169.254 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe fe80::1 fe80::1%eth0 febf::1',
      reserved:
        '0.0.0.0 0.1.2.3 :: ::10.0.0.1 192.0.0.170 198.18.0.1 203.0.113.1 224.0.0.1 255.255.255.255 2002:a00:1:: 2001::1 ff02::1 idp.example',
      public:
        '9.255.255.255 11.0.0.0 172.15.255.255 172.32.0.0 192.167.255.255 100.63.255.255 100.128.0.0 169.253.255.255 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2606:4700::1',
    }),
  )('%s addresses: %s', (range, addresses) => {
    for (const address of addresses.split(' ')) expect(rangeOf(address), address).toBe(range);
  });

  test.each([
    ['authorization_endpoint', 'https://10.0.0.1/x', /private/],
    ['token_endpoint', 'https://192.168.0.1/x', /private/],
    ['jwks_uri', 'https://169.254.169.254/x', /link_local/],
    ['userinfo_endpoint', 'https://[fd00::1]/x', /private/],
    ['token_endpoint', 'https://[::ffff:10.0.0.1]/x', /private/],
    ['authorization_endpoint', 'http://idp.example/x', /neither https/],
    ['authorization_endpoint', 'javascript:alert(1)', /neither https/],
  ])('%s %s is refused', async (member, address, reason) => {
    idp.provider.faults = { metadata: { [member]: address } };
    await expectFailed(idp.sso.authorizationUrl(newExchange()), reason);
  });

  test('addresses in a private range are allowed only if the issuer is in that range', () => {
    const refused = (issuer: string, address: string) =>
      expect(() => openOutbound(issuer).check(address)).toThrow(/but the issuer has not/);
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
    ['an IPv4 address written in IPv6', ['::ffff:10.0.0.1'], /private/],
  ])('a name that resolves to %s is refused', async (_, addresses, reason) => {
    idp.provider.faults = { metadata: { token_endpoint: 'https://tokens.example/token' } };
    const by = open({ resolve: at(...addresses) });
    await expectFailed(by.identify('a code', newExchange()), reason);
  });

  test('`localhost` is refused unless the issuer is on it', async () => {
    idp.provider.faults = { metadata: { token_endpoint: 'http://localhost:8080/token' } };
    const by = open({ resolve: at('93.184.216.34') });
    await expectFailed(by.identify('a code', newExchange()), /not a loopback address/);
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

  test('an issuer that moves to another range after its discovery is refused', async () => {
    const resolve = vi.fn(at('127.0.0.1'));
    const { port } = new URL(idp.provider.issuer);
    const outbound = openOutbound(`https://idp.example:${port}`, { resolve });
    const request = { method: 'GET', headers: {}, body: null, redirect: 'manual' as const };
    const ask = () => outbound.fetch(`https://idp.example:${port}/`, request);
    // No server speaks TLS there: a connection is made and then fails.
    await expect(ask()).rejects.toThrow(/https:\/\/idp\.example/);
    resolve.mockImplementation(at('10.0.0.1'));
    await expect(ask()).rejects.toThrow(/private address, but the issuer has not/);
  });
});
