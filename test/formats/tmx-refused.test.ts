import { describe, expect, it } from 'vitest';
import { XmlFileError } from '#server/formats/tmx/reader.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';
import { readAll, tmxOf, tmxOfPair } from './tmx-units.ts';

function refusalOf(file: string): XmlFileError {
  try {
    readAll(file);
  } catch (error) {
    if (error instanceof XmlFileError) return error;
    throw error;
  }
  throw new Error('it was read');
}

describe('entity declarations and references to other entities are rejected (C 7)', () => {
  it.each<[what: string, file: string]>([
    ['a declaration', tmxOf('', '\n<!DOCTYPE tmx [<!ENTITY x "y">]>')],
    ['one of a file', tmxOf('', '\n<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/passwd">]>')],
    ['a reference to a parameter entity', tmxOf('', '\n<!DOCTYPE tmx [%x;]>')],
    ['one of HTML', tmxOfPair('a&nbsp;b')],
    ['the name of a property of objects', tmxOfPair('a&constructor;b')],
  ])('%s', (_, file) => {
    expect(refusalOf(file)).toMatchObject({
      reason: 'forbidden',
      line: 2,
      message: expect.stringMatching(/^line 2: forbidden XML construct: /),
    });
  });

  it.each<[what: string, doctype: string]>([
    ['on the network', "<!DOCTYPE tmx SYSTEM 'http://127.0.0.1:9/a%20b;c.dtd'>"],
    ['by its public name', '<!DOCTYPE tmx PUBLIC "-//LISA OSCAR:1998//DTD for TMX//EN" "tmx14.dtd">'],
    ['and declares elements', '<!DOCTYPE tmx [<!ELEMENT tmx ANY><!ATTLIST tu a CDATA "100 %">]>'],
  ])('a DOCTYPE that names a DTD %s is skipped', (_, doctype) => {
    expect(readAll(tmxOf('<tu/>', doctype)).summary.units).toBe(1);
  });
});

describe('malformed XML, or XML that is not TMX, is rejected (C 7)', () => {
  it.each<[what: string, file: string, reason: string]>([
    ['nothing', '', 'not_xml'],
    ['text', 'source,target\na,b\n', 'not_xml'],
    ['an HTML page', '<!doctype html><p>not found', 'not_xml'],
    ['text before the root', `x${tmxOf('')}`, 'not_xml'],
    ['another kind of XML', '<?xml version="1.0"?><xliff/>', 'wrong_root'],
    ['a file that was cut', tmxOf('<tu/>').slice(0, -3), 'malformed'],
    ['elements that overlap', tmxOfPair('<hi><ph></hi></ph>'), 'malformed'],
    ['a bare ampersand', tmxOfPair('A & B; C'), 'malformed'],
    ['a character that XML cannot hold', tmxOfPair('a\u0001b'), 'malformed'],
    ['a reference to one', tmxOfPair('a&#1;b'), 'malformed'],
    ['a second root', `${tmxOf('')}<tmx/>`, 'malformed'],
  ])('%s', (_, file, reason) => {
    expect(refusalOf(file).reason).toBe(reason);
  });

  it('an error names the line', () => {
    const file = tmxOf('<tu/>\n<tu/>\n<tu></tuv>\n');
    expect(refusalOf(file)).toMatchObject({ line: 4, message: expect.stringMatching(/^line 4: /) });
  });

  it('no error repeats what the file says at length', () => {
    expect(refusalOf(`<tmx><${'x'.repeat(10_000)}>`).message.length).toBeLessThan(300);
  });
});

describe('everything is bounded', () => {
  const nested = (depth: number): string => tmxOfPair(`${'<hi>'.repeat(depth)}a${'</hi>'.repeat(depth)}`);

  it('elements are at most 200 deep', () => {
    expect(readAll(nested(195)).pairs[0]!.source).toBe('a');
    expect(refusalOf(nested(196)).reason).toBe('too_deep');
  });

  it.each<[what: string, file: string]>([
    ['nested elements', tmxOfPair('<hi>'.repeat(1_000_000))],
    ['tags of many languages', tmxOf(many((index) => `<tu><tuv lang="en-${index}"/></tu>`))],
    ['attributes of one element', `<tmx ${many((index) => `a${index}="" `)}/>`],
    ['brackets of a DOCTYPE', tmxOf('', `<!DOCTYPE tmx [${'<!--'.repeat(500_000)}`)],
    ['percent signs of a DOCTYPE', tmxOf('', `<!DOCTYPE tmx [${'%a '.repeat(500_000)}]>`)],
  ])('%s take time in proportion to their number', async (_, file) => {
    const ms = await cpuTime(() => {
      try {
        readAll(file);
      } catch (error) {
        expect(error).toBeInstanceOf(XmlFileError);
      }
    });
    expect(ms).toBeLessThan(5000);
  });
});

function many(write: (index: number) => string): string {
  return Array.from({ length: 100_000 }, (_, index) => write(index)).join('');
}
