import { describe, expect, it } from 'vitest';
import { FileError } from '#server/formats/file-error.ts';
import * as markdown from '#server/formats/markdown.ts';
import { marked } from './markup-files.ts';

const repeat = (piece: string, length = 5_000_000): string => piece.repeat(Math.floor(length / piece.length));
const nested = (depth: number, marker: string): string =>
  Array.from({ length: depth }, (_, at) => `${' '.repeat(at * marker.length) + marker}a`).join('\n');

describe('a hostile Markdown file', () => {
  it.each<[string, string | Uint8Array]>([
    ['100,000 nested quotes', repeat('>', 100_000)],
    ['nested quotes on many lines', repeat(`${'>'.repeat(99)}a\n`, 200_000)],
    ['nested lists', nested(500, '- ')],
    ['lists nested up to the limit', repeat(`${nested(90, '- ')}\n\n`, 300_000)],
    ['5 MB of *', repeat('*')],
    ['5 MB of [', repeat('[')],
    ['5 MB of <', repeat('<')],
    ['5 MB of backticks', repeat('`')],
    ['emphasis', repeat('a*', 200_000)],
    ['emphasis in many paragraphs', repeat(`${'a*'.repeat(200)}\n\n`, 1_000_000)],
    ['emphasis of all kinds', repeat('_a* **b__ ', 40_000)],
    ['nested emphasis', `${'*a **b '.repeat(300)}${'** *'.repeat(300)}`],
    ['links that are not closed', repeat('[a](', 1_000_000)],
    ['pictures that are not closed', repeat('![', 1_000_000)],
    ['backticks of all lengths', Array.from({ length: 1_500 }, (_, at) => '`'.repeat(at)).join(' ')],
    ['formulas that are not closed', repeat('$a ', 1_400_000)],
    ['lines of formulas that are not closed', repeat('$$\n', 200_000)],
    ['comments that are not closed', repeat('<!--', 1_000_000)],
    ['shortcodes that are not closed', repeat('{{<', 1_400_000)],
    ['empty lines', repeat('\n', 1_400_000)],
    ['one word', repeat('a', 1_400_000)],
    ['many rows', `|a|b|\n|-|-|\n${repeat('|a|b|\n', 500_000)}`],
    ['many definitions', Array.from({ length: 30_000 }, (_, at) => `[a${at}]: b\n`).join('')],
    ['modules', `import a from 'b'\n\n${repeat('{', 400_000)}`],
    ['components', `<A>\n\n${repeat('<A>{a', 400_000)}`],
    ['components that are nested', repeat('<A>\n', 40_000)],
    ['front matter', `---\n${repeat('[', 400_000)}\n---\n`],
    [
      'aliases in front matter',
      `---\na: &a [x]\n${Array.from({ length: 40 }, (_, at) => `b${at}: &b${at} [*a, *a, *a, *a]`).join('\n')}\n---\n`,
    ],
    ['nested definitions', nested(500, ': ')],
    ['definitions nested up to the limit', repeat(`${nested(90, ': ')}\n\n`, 300_000)],
    ['nested admonitions', nested(500, '!!! ')],
    ['definitions', repeat('a\n: b\n', 200_000)],
    ['terms', `${repeat('a\n', 190_000)}: b`],
    ['admonitions', repeat('!!! a "b"\n    c\n', 1_000_000)],
    ['tabs that are too far to the right', repeat('a\n     === "b"\n\n', 150_000)],
    ['a directive of spaces', `::: a${repeat(' ', 1_000_000)}b`],
    ['links of wikis', repeat('[[a|b]]', 200_000)],
    ['links of wikis that are not closed', repeat('[[a|', 200_000)],
    ['texts with attributes', repeat('[a]{.b}', 200_000)],
    ['texts with attributes that are not closed', repeat('[a]{.b', 200_000)],
    ['references without definitions', repeat('[a][bcd]', 200_000)],
    ['attributes', repeat('{ #a }', 1_000_000)],
    ['links to headings', `${repeat('# A\n\n', 200_000)}${repeat('[a](#a-1) [[#a]]\n\n', 100_000)}`],
    ['a NUL', 'a\0b'],
    ['invalid UTF-8', Uint8Array.of(0x23, 0x20, 0xff, 0xfe, 0x80)],
  ])('%s is read in a few seconds, or rejected', async (_, content) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const before = process.cpuUsage();
    try {
      await markdown.check(bytes);
      const { segments } = await markdown.extract(bytes);
      const translations = segments.map((one) => ({ ...one, target: marked(one.source) }));
      await markdown.rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'de' });
    } catch (error) {
      expect(error).toBeInstanceOf(FileError);
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(30);
  });
});
