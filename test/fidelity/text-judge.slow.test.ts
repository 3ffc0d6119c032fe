import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasTextJudge, judgeText, translateFile } from './text-files.ts';

/*
 * A judge that uses none of the service's readers compares finished text files with their sources and receipts: programs
 * read the same, and each text that a reader sees is translated or counted. It needs Debian's python3-yaml, python3-polib,
 * python3-lxml and python3-markdown-it.
 */

const root = new URL('../../', import.meta.url);
const within = (folder: string, extension: RegExp) =>
  readdirSync(new URL(folder, root))
    .filter((name) => extension.test(name))
    .map((name) => `${folder}${name}`);
const names = [
  ...within('docs/', /\.md$/),
  ...within('examples/files/', /\.(?:md|html|json)$/),
  ...within('web/locales/en/', /\.json$/),
];
if (!hasTextJudge) console.warn('skipped: the judge of text files needs python3-polib and others');

async function judge(name: string, content: string, drops = '') {
  const source = Buffer.from(content);
  const { kind, bytes, counted } = await translateFile(name, source);
  const rest = Object.fromEntries(Object.entries(counted).filter(([reason]) => reason !== drops));
  return judgeText(name, source, { kind, bytes, counted: rest });
}

describe.skipIf(!hasTextJudge)('a finished text file, by an outside judge', () => {
  it.each(names)('%s: programs read the same, and each text is translated or counted', async (name) => {
    const { broken, lost, texts } = await judge(name, readFileSync(new URL(name, root), 'utf8'));
    expect({ broken, lost }).toEqual({ broken: [], lost: [] });
    expect(texts).toBeGreaterThan(0);
  });

  it('finds a text that is not counted', async () => {
    const file = '<p>Hello</p><div lang="la" title="Salve bene"><p>Ave Maria</p></div>';
    expect((await judge('a.html', file)).lost).toEqual([]);
    expect((await judge('a.html', file, 'other_language')).lost).toHaveLength(2);
  });

  it.each([
    ['a.html', '<p class="note">Hello</p>', '<p class="Note">H\u0359i\u0359</p>'],
    [
      'a.html',
      '<p>{{ name }} is here</p>',
      '<p>{{ n\u0359ame }} i\u0359s\u0359 h\u0359e\u0359r\u0359e\u0359</p>',
    ],
    ['a.md', 'Run `make` now\n', 'R\u0359u\u0359n\u0359 `m\u0359ake` n\u0359o\u0359w\u0359\n'],
    ['a.json', '{"a": "One {n}"}', '{"b": "O\u0359n\u0359e\u0359 {n}"}'],
    ['a.yaml', 'a: !x One\n', 'a: !x O\u0359n\u0359e\u0359\n'],
    ['a.properties', 'a=One {0}\n', 'a=O\u0359n\u0359e\u0359\n'],
    ['a.srt', '1\n00:00:01,000 --> 00:00:02,000\nHi\n', '1\n00:00:01,000 --> 00:00:03,000\nH\u0359i\u0359\n'],
  ])('finds broken code: %s %s', async (name, before, after) => {
    const source = Buffer.from(before);
    const { kind } = await translateFile(name, source);
    const { broken } = judgeText(name, source, { kind, bytes: Buffer.from(after), counted: {} });
    expect(broken).not.toEqual([]);
  });
});
