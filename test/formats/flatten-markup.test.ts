import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FlattenKind } from '#server/formats/document-kind.ts';
import { FileError } from '#server/formats/file-error.ts';
import { flatten } from '#server/formats/flatten.ts';
import { casesOf } from './cases.ts';

const read = (kind: FlattenKind, source: string): Promise<string> => flatten(kind, Buffer.from(source));

describe('kinds that are text as they stand', () => {
  it.each<[kind: FlattenKind, source: string]>([
    ['txt', 'One.\n\nTwo & <b>three</b>.'],
    ['md', '# Title\n\n- [link](https://example.com)'],
    ['csv', 'term,note\n"a, b",c'],
    ['json', '{\n  "greeting": "Hello"\n}'],
  ])('%s keeps its markup', async (kind, source) => {
    expect(await read(kind, `\ufeff${source}\r\n`)).toBe(source);
  });
});

describe('the text that a reader of an HTML page sees', () => {
  it.each<[rule: string, source: string, text: string]>(
    casesOf('flatten-markup.yaml', 'the text that a reader of an HTML page sees'),
  )('%s', async (_, source, text) => {
    expect(await read('html', source)).toBe(text);
  });

  it.each(['<p></p>', '<script>a</script>', '<!-- a -->', '&nbsp;'])('%s has no text', async (source) => {
    await expect(read('html', source)).rejects.toMatchObject({ reason: 'empty' });
  });

  it.each([
    ['elements', '<b>'.repeat(300_000)],
    ['end tags', '</p>'.repeat(300_000)],
  ])('300,000 %s are read', async (_, source) => {
    expect(await read('html', `text${source}`)).toBe('text');
  });
});

describe('the text of an XML document', () => {
  it.each<[rule: string, source: string, text: string]>([
    ['fields are lines', '<r><a>One</a><b>Two</b></r>', 'One\nTwo'],
    ['records are apart', '<l><r><a>1</a><b>2</b></r><r><a>3</a></r></l>', '1\n2\n\n3'],
    ['elements amid text are part of it', '<p>One <b>two</b> <i>three</i>.</p>', 'One two three.'],
    ['indentation is nothing', '<r>\n  <a>\n    One\n    two\n  </a>\n</r>', 'One two'],
    ['CDATA is text', '<a><![CDATA[x < y]]></a>', 'x < y'],
    ['attributes and comments are not text', '<a t="x">y<!-- z --><?p q?></a>', 'y'],
    ['a DOCTYPE that names a DTD is passed over', '<!DOCTYPE a SYSTEM "x.dtd"><a>y</a>', 'y'],
  ])('%s', async (_, source, text) => {
    expect(await read('xml', source)).toBe(text);
  });

  it.each<[rule: string, source: string]>([
    ['an element left open', '<a><b>x</b>'],
    ['an entity of its own', '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'],
    ['an entity from outside', '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname">]><a>&e;</a>'],
    ['a name that objects inherit', '<a>&constructor;</a>'],
  ])('%s is unreadable', async (_, source) => {
    await expect(read('xml', source)).rejects.toMatchObject({ name: 'FileError', reason: 'unreadable' });
  });

  it('100,000 elements in each other are read', async () => {
    const depth = 100_000;
    expect(await read('xml', `${'<a>x'.repeat(depth)}${'</a>'.repeat(depth)}`)).toBe('x'.repeat(depth));
  });
});

describe('files without text', () => {
  it.each<FlattenKind>(['csv', 'docx', 'html', 'json', 'md', 'pdf', 'txt', 'xml'])(
    'an empty %s is empty',
    async (kind) => {
      await expect(flatten(kind, new Uint8Array())).rejects.toMatchObject({ reason: 'empty' });
    },
  );

  it.each<FlattenKind>(['csv', 'html', 'json', 'md', 'txt', 'xml'])(
    'a %s in Latin-1 is no text',
    async (kind) => {
      await expect(flatten(kind, Buffer.from('<a>café</a>', 'latin1'))).rejects.toMatchObject({
        reason: 'not_text',
        message: expect.stringContaining('UTF-8'),
      });
    },
  );
});

describe('any bytes', () => {
  it.each<FlattenKind>(['docx', 'html', 'xml', 'txt'])('as %s give text or a FileError', async (kind) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const answer = await flatten(kind, bytes).catch((error: unknown) => error);
        expect(typeof answer === 'string' || answer instanceof FileError).toBe(true);
      }),
    );
  });
});
