import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContentScanner } from '#server/formats/pdf/reading/content-scanner.ts';
import { Name, type Operand } from '#server/formats/pdf/reading/operand.ts';

/** An operand in a readable form: names with their slash, strings as Latin-1 in parentheses. */
function readable(operand: Operand): unknown {
  if (operand instanceof Name) return `/${operand.value}`;
  if (operand instanceof Uint8Array) return `(${Buffer.from(operand).toString('latin1')})`;
  if (Array.isArray(operand)) return operand.map(readable);
  if (operand instanceof Map) return Object.fromEntries([...operand].map(([k, v]) => [k, readable(v)]));
  return operand;
}

function scan(content: string | Uint8Array): [operator: string, ...operands: unknown[]][] {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
  const scanner = new ContentScanner(bytes);
  const found: [string, ...unknown[]][] = [];
  while (scanner.next()) found.push([scanner.operator, ...scanner.operands.map(readable)]);
  return found;
}

describe('a content stream is read operator by operator', () => {
  it.each([
    ['numbers of every form', '-.5 4. +3 --3 0.25 1-2 m', [['m', -0.5, 4, 3, -3, 0.25, 12]]],
    ['a second point starts a second number', '1.2.3 4 l', [['l', 1.2, 0.3, 4]]],
    [
      'parentheses in strings',
      '(a(b)c) Tj (a\\)) Tj',
      [
        ['Tj', '(a(b)c)'],
        ['Tj', '(a))'],
      ],
    ],
    ['escapes and octal codes', '(\\n\\t\\\\\\101\\0619\\1x\\z) Tj', [['Tj', '(\n\t\\A19\u0001xz)']]],
    ['continued lines', '(a\\\nb\\\r\nc\\\rd) Tj', [['Tj', '(abcd)']]],
    ['hexadecimal strings, the last digit alone', '<4 1 4 2 5> Tj', [['Tj', '(ABP)']]],
    [
      'dictionaries in each other',
      '/Span <</MCID 3/A<</B[1 2]>>/T true>> BDC',
      [['BDC', '/Span', { MCID: 3, A: { B: [1, 2] }, T: true }]],
    ],
    ['names with coded bytes', '/A#20B#zz /C Do', [['Do', '/A B#zz', '/C']]],
    ['comments', '1 0 % 5 Tj (\n0 rg %', [['rg', 1, 0, 0]]],
    [
      'operators without a space between',
      'qQ0 g/F 1 Tf(a)Tj[]TJBT',
      [['q'], ['Q'], ['g', 0], ['Tf', '/F', 1], ['Tj', '(a)'], ['TJ', []], ['BT']],
    ],
    ['a string without an end', 'q (abc', [['q']]],
    ['an array that an operator ends', '[(a) 1 Tj q', [['Tj', ['(a)', 1]], ['q']]],
    ['stray brackets', '] >> ) } 1 w', [['w', 1]]],
    ['words that are no operators', 'Xyz 1 w', [['Xyz'], ['w', 1]]],
  ])('%s', (_, content, expected) => {
    expect(scan(content)).toEqual(expected);
  });

  it.each([
    ['whose data look like its end', '/W 4 /H 2 /BPC 8 /CS /G', 'aEI EI Q'],
    ['of one bit', '/W 9 /H 2 /IM true', 'EI Q'],
    ['of a color space in the resources', '/W 4 /H 2 /BPC 8 /CS /Cs1', '\u00ff EI\u0080 \u0000EI \u0001'],
    ['with a filter', '/W 1 /H 1 /F /Fl', 'x\u009cEI \u0090\u0000\u0001'],
  ])('an inline image %s is one operator', (_, dictionary, data) => {
    const content = `q BI ${dictionary} ID ${data}\nEI Q (a) Tj`;
    expect(scan(content).map(([operator]) => operator)).toEqual(['q', 'BI', 'Q', 'Tj']);
  });

  it('knows where each operator with its operands stands', () => {
    const content = 'q  1 0 0 1 5 5 cm\n[(a) 3] TJ % c\nBI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q';
    const scanner = new ContentScanner(Buffer.from(content));
    const pieces: string[] = [];
    while (scanner.next()) pieces.push(content.slice(scanner.start, scanner.end));
    expect(pieces).toEqual(['q', '1 0 0 1 5 5 cm', '[(a) 3] TJ', 'BI /W 1 /H 1 /BPC 8 /CS /G ID x EI', 'Q']);
  });
});

const space = fc.constantFrom(' ', '\n', '\r\n', '\t ', ' %c (\n', '\f\0');
const number = fc.oneof(fc.integer(), fc.double({ min: -1e4, max: 1e4, noNaN: true })).map((value) => {
  const written = Number(value.toFixed(5)).toString();
  return { written, read: Number(written) as unknown };
});
const latin1 = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) });
const literal = latin1.map((text) => ({
  written: `(${text.replace(/[\\()\r]/g, (unit) => (unit === '\r' ? '\\r' : `\\${unit}`))})`,
  read: `(${text})` as unknown,
}));
const hexadecimal = latin1.map((text) => ({
  written: `<${Buffer.from(text, 'latin1').toString('hex')}>`,
  read: `(${text})` as unknown,
}));
const name = fc
  .stringMatching(/^[A-Za-z0-9_+.-]{1,12}$/)
  .map((text) => ({ written: `/${text}`, read: `/${text}` as unknown }));
const simple = fc.oneof(number, literal, hexadecimal, name);
const list = fc.array(simple, { maxLength: 5 }).map((items) => ({
  written: `[${items.map(({ written }) => written).join(' ')}]`,
  read: items.map(({ read }) => read) as unknown,
}));
const operation = fc.record({
  operator: fc.constantFrom('Tj', 'TJ', 're', 'cm', "'", '"', 'BDC', 'scn', 'T*', 'q', 'b*'),
  operands: fc.array(fc.oneof(simple, list), { maxLength: 6 }),
  spaces: fc.array(space, { minLength: 8, maxLength: 8 }),
});

describe('whatever is written is read', () => {
  it('operators and operands of every form, with any space between them', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 12 }), (operations) => {
        const content = operations
          .map(({ operator, operands, spaces }) =>
            [...operands.map(({ written }) => written), operator]
              .map((token, index) => token + spaces[index])
              .join(''),
          )
          .join('');
        const expected = operations.map(({ operator, operands }) => [
          operator,
          ...operands.map(({ read }) => read),
        ]);
        expect(scan(content)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('any bytes are read to their end, each operator once and in order', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const scanner = new ContentScanner(bytes);
        let end = 0;
        while (scanner.next()) {
          expect(scanner.start).toBeGreaterThanOrEqual(end);
          expect(scanner.end).toBeGreaterThan(scanner.start);
          end = scanner.end;
        }
        expect(end).toBeLessThanOrEqual(bytes.length);
      }),
      { numRuns: 700 },
    );
  });

  it('takes time in proportion to the bytes, whatever they are', () => {
    const pieces = ['(', '[', '<<', '<', '{', 'BI ', 'BI/W 1 ID EI', 'EI ', '/', '%', '1', '((', 'q', '[BI '];
    for (const piece of pieces) {
      const time = (count: number): number => {
        const start = process.cpuUsage().user;
        scan(piece.repeat(count));
        return (process.cpuUsage().user - start) / 1000;
      };
      time(2000);
      // An algorithm with quadratic time would need minutes.
      expect(time(300_000), piece).toBeLessThan(3000);
    }
  }, 60_000);
});
