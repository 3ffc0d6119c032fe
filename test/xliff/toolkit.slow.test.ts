import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tbxEntry, tbxHead, tbxTail } from '#server/formats/tbx/writer.ts';
import { readXliff } from '#server/formats/xliff/reader.ts';
import {
  xliffFileHead,
  xliffFileTail,
  xliffHead,
  xliffTail,
  xliffUnit,
} from '#server/formats/xliff/writer.ts';
import { toolkit } from './translate-toolkit.ts';

/** Characters that XML can contain unchanged. The toolkit supports no others. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(' ', '  ', '\n', '\t', ...'<b> & ]]> &amp; \u202e 𝒳 مرحبا e\u0301'.split(' ')),
    ),
    { minLength: 1 },
  )
  .map((parts) => parts.join(''))
  // An empty or blank translation counts as missing.
  .filter((one) => one.trim() !== '');

const head = { sourceLang: 'en', targetLang: 'fr' };

function documentOf(pairs: readonly (readonly [string, string])[]): string {
  const units = pairs.map(([source, target], index) =>
    xliffUnit({
      id: `s${index}`,
      version: `v${index}`,
      state: 'translated',
      notes: ['why'],
      source: [source],
      target: [target],
    }),
  );
  const file = xliffFileHead({ id: 'f1', original: 'a.docx' }, { source: false, target: false });
  return xliffHead(head) + file + units.join('') + xliffFileTail + xliffTail;
}

interface Judged {
  /** The ID, source and target of each unit. */
  read: [string, string, string][];
  written: string;
}

function judge(xliff: string, targets: Record<string, string> = {}): Judged {
  const input = JSON.stringify({ xliff, targets });
  const script = join(import.meta.dirname, 'judge.py');
  return JSON.parse(
    execFileSync(toolkit as string, [script], { input, encoding: 'utf8', maxBuffer: 2 ** 26 }),
  );
}

describe.skipIf(!toolkit)('the Translate Toolkit', () => {
  test('reads the texts that were written', () => {
    const pairs = fc.sample(fc.tuple(text, text), 300);
    const { read } = judge(documentOf(pairs));
    expect(read).toEqual(pairs.map(([source, target], index) => [`s${index}`, source, target]));
  });

  test('changes translations at random, and they come back exactly, with their versions', () => {
    const pairs = fc.sample(fc.tuple(text, text), 300);
    const edits = fc.sample(fc.option(text), pairs.length);
    const targets = Object.fromEntries(
      edits.flatMap((edit, index) => (edit === null ? [] : [[`s${index}`, edit]])),
    );
    const { written } = judge(documentOf(pairs), targets);
    expect(readXliff(Buffer.from(written), 'f1').units).toMatchObject(
      pairs.map(([source, target], index) => ({
        id: `s${index}`,
        version: `v${index}`,
        source: [source],
        target: [edits[index] ?? target],
      })),
    );
  });

  test('reads TBX of the edition of 2008', () => {
    const terms = { sourceTerm: 'R&D', targetTerm: 'R&D <été>', sourceLang: 'en', targetLang: 'fr' };
    const input = tbxHead('2008', 'Été') + tbxEntry('2008', { number: 1, ...terms }) + tbxTail('2008');
    const script = `
import json, sys
from translate.storage import tbx
store = tbx.tbxfile()
store.parse(sys.stdin.buffer.read())
print(json.dumps([[unit.source, unit.target] for unit in store.units]))`;
    const read = execFileSync(toolkit as string, ['-c', script], { input, encoding: 'utf8' });
    expect(JSON.parse(read)).toEqual([['R&D', 'R&D <été>']]);
  });
});
