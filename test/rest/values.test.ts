import type { FastifyReply } from 'fastify';
import { describe, expect, test } from 'vitest';
import { sendFile } from '#rest/downloads.ts';
import { clientAddress, rateLimitSubject } from '#server/http/client-address.ts';
import { readCursor, writeCursor } from '#server/http/paging.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';

const socket = '10.0.0.9';

describe('the client address (C 2)', () => {
  test.each<[what: string, forwarded: string | string[] | undefined, proxies: number, address: string]>([
    ['no proxy of ours: anybody may have sent the header', '1.1.1.1', 0, socket],
    ['no header', undefined, 1, socket],
    ['one proxy: the last entry', '1.1.1.1, 2.2.2.2, 3.3.3.3', 1, '3.3.3.3'],
    ['two: the last but one', '1.1.1.1, 2.2.2.2, 3.3.3.3', 2, '2.2.2.2'],
    ['fewer entries than proxies', '1.1.1.1, 2.2.2.2, 3.3.3.3', 4, socket],
    ['several lines, in their order', ['1.1.1.1, 2.2.2.2', '3.3.3.3'], 2, '2.2.2.2'],
    ['a last entry that is empty', '1.1.1.1,', 1, socket],
    ['white space around it', ' 1.1.1.1 \t,\t 2.2.2.2 ', 2, '1.1.1.1'],
    ['IPv4 with a port', '1.2.3.4:5678', 1, '1.2.3.4'],
    ['a port that is none', '1.2.3.4:http', 1, socket],
    ['IPv6', '2001:db8::1', 1, '2001:db8::1'],
    ['IPv6 with a port', '[2001:db8::1]:443', 1, '2001:db8::1'],
    ['a bracket that is not closed', '[2001:db8::1', 1, socket],
    ['a name', 'localhost', 1, socket],
    ['a number past 255', '1.2.3.256', 1, socket],
    ['octal digits', '01.02.03.04', 1, socket],
    ['a bad entry does not make its neighbour count', '1.1.1.1, x', 1, socket],
    ['bad entries left of it do not matter', 'x, , 2.2.2.2', 1, '2.2.2.2'],
    ['an entry longer than any address', `fe80::1%${'z'.repeat(200)}`, 1, socket],
  ])('%s', (_what, forwarded, proxies, address) => {
    expect(clientAddress({ 'x-forwarded-for': forwarded }, socket, proxies)).toBe(address);
  });

  test('a header of megabytes takes no longer than reading it', async () => {
    const ms = await cpuTime(() => {
      for (const long of [','.repeat(5_000_000), '1.1.1.1,'.repeat(600_000), '['.repeat(5_000_000)])
        for (const proxies of [1, 50, 99]) clientAddress({ 'x-forwarded-for': long }, socket, proxies);
    });
    expect(ms).toBeLessThan(1000);
  });
});

describe('the key of an address in a rate limit (C 2)', () => {
  const network = '2001:db8:0:a1::/64';
  test.each([
    ['1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4%eth0', '1.2.3.4'],
    // This is not an IPv4-mapped address: `ffff` is one group too far to the left.
    ['::ffff:0:102:304', '0:0:0:0::/64'],
    ['2001:db8:0:a1:1:2:3:4', network],
    ['2001:0db8:0000:00a1:0000:0000:0000:0001', network],
    ['2001:db8:0:a1::1%eth0', network],
    ['2001:db8:0:a2::1', '2001:db8:0:a2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1', 'fe80:0:0:0::/64'],
    // A closed socket has no address.
    ['', ''],
  ])('%s: %s', (address, subject) => {
    expect(rateLimitSubject(address)).toBe(subject);
  });
});

/** The Content-Disposition header of a download with this file name. */
function dispositionOf(fileName: string): string | undefined {
  const headers = new Map<string, string>();
  const reply = {
    code: () => reply,
    header: (name: string, value: string) => {
      headers.set(name, value);
      return reply;
    },
    send: () => reply,
  };
  sendFile(reply as unknown as FastifyReply, {
    contentType: 'text/plain',
    fileName,
    bytes: new Uint8Array(),
  });
  return headers.get('content-disposition');
}

describe('the name of a download (B 4.5)', () => {
  test.each([
    ['PRE.tmx', '"PRE.tmx"'],
    ["it's (1); a=b.tmx", '"it\'s (1); a=b.tmx"'],
  ])('%j is quoted, and needs nothing else', (name, quoted) => {
    expect(dispositionOf(name)).toBe(`attachment; filename=${quoted}`);
  });

  test.each([
    ['a"b\\c/d%20.tmx', '"a_b_c_d_20.tmx"', 'a%22b%5Cc%2Fd%2520.tmx'],
    ['a\r\nb\u007f.tmx', '"a__b_.tmx"', 'a%0D%0Ab%7F.tmx'],
    ['😀.tmx', '"_.tmx"', '%F0%9F%98%80.tmx'],
  ])('%j is quoted with underscores, and exact in filename*', (name, quoted, exact) => {
    expect(dispositionOf(name)).toBe(`attachment; filename=${quoted}; filename*=UTF-8''${exact}`);
  });
});

const id = '0'.repeat(32);
const cursorOf = (time: string) => Buffer.from(`${time} ${id}`).toString('base64url');

test.each([
  ['a year before 1000', '0999-12-31T23:59:59.999Z'],
  ['a year of five digits', '12024-01-01T00:00:00.000Z'],
  ['the end of a day that lies in a year of five digits', '9999-12-31T24:00:00.000Z'],
])('a cursor of %s is 422, like every cursor that was never issued', (_, time) => {
  expect(() => readCursor(cursorOf(time))).toThrow(
    expect.objectContaining({
      code: 'invalid_fields',
      problems: [expect.objectContaining({ loc: ['query', 'cursor'] })],
    }),
  );
});

test.each(['1000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '2024-02-29T12:00:00.000Z'])(
  'a cursor of %s is read as it was written',
  (time) => {
    expect(writeCursor({ updated_at: time, id })).toBe(cursorOf(time));
    expect(readCursor(cursorOf(time))).toEqual({ updatedAt: new Date(time), id });
  },
);
