import { describe, expect, it } from 'vitest';
import { documentKind, layoutKind, plainFileName } from '#server/formats/document-kind.ts';

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const sheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

describe('files that are flattened to text (B 4.1)', () => {
  it.each([
    ['a.docx', 'docx'],
    ['a.xml', 'xml'],
    ['A.B.PDF', 'pdf'],
  ])('the extension of %s is accepted, and overrides any content type', (name, kind) => {
    for (const type of ['', 'application/octet-stream', 'image/png', 'text/plain', sheet])
      expect(documentKind(name, type)).toBe(kind);
  });

  it.each([
    [word, 'docx'],
    ['text/markdown', 'md'],
    ['text/vtt', 'txt'],
    ['TEXT/HTML; charset=utf-8', 'html'],
  ])('without an extension of the list, %s decides', (type, kind) => {
    for (const name of ['a', '', 'a.bin', 'a.xlsx', 'pdf', 'a.']) expect(documentKind(name, type)).toBe(kind);
  });

  it.each([
    ['a', ''],
    ['a.xlsx', sheet],
    ['a.doc', 'application/msword'],
    ['a', 'application/octet-stream'],
    ['a', 'application/x-pdf'],
  ])('%s of type %s is neither', (name, type) => {
    expect(documentKind(name, type)).toBeUndefined();
  });
});

describe('files that are translated in their layout (B 4.3)', () => {
  it.each([
    ['a.DOCX', '', 'docx'],
    ['a.xlsx', 'application/pdf', 'xlsx'],
    ['a', 'application/x-pdf', 'pdf'],
    ['a', `${sheet}; x=y`, 'xlsx'],
    ['a.xlsm', '', undefined],
    ['a.txt', 'text/plain', undefined],
    ['a', 'text/plain', undefined],
    ['a.text', 'application/octet-stream', 'txt'],
    ['a.js', 'text/plain', undefined],
    ['a.html', undefined, 'html'],
    ['a.mdx', 'text/markdown', 'mdx'],
    ['a', 'application/xhtml+xml', 'html'],
  ])('%s of type %s is %s', (name, type, kind) => {
    expect(layoutKind(name, type)).toBe(kind);
  });
});

it.each([
  ['../etc/a.txt', 'a.txt'],
  ['C:\\temp\\a.txt', 'a.txt'],
  ['a\r\n\u0085b\ud800.txt', 'ab.txt'],
  ['\u061ca\u200e\u200f\u202a\u202etxt.\u2066\u2069exe', 'atxt.exe'],
  ['می\u200cروم.txt', 'می\u200cروم.txt'],
  ['👩\u200d💻.txt', '👩\u200d💻.txt'],
])('the name %j is kept as %j', (name, plain) => {
  expect(plainFileName(name)).toBe(plain);
});
