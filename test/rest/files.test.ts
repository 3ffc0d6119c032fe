import type { FastifyReply } from 'fastify';
import { describe, expect, test } from 'vitest';
import { sendFile } from '#rest/downloads.ts';

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
