import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { extractHtml, rebuildHtml } from '#server/formats/html-segments.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { PageContent } from '#server/formats/pdf/page-content.ts';
import { extract } from '#server/formats/pdf.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';
import { page, rule, text } from './pdf-page.ts';

describe('for a source of a megabyte built to be slow, the work stays within a test’s time', () => {
  const repeated = (unit: string): string => unit.repeat(Math.ceil(1_000_000 / unit.length));
  const numbered = (tag: string, count: number): string =>
    Array.from({ length: count }, (_, index) => `<${tag} a${index}>`).join('');
  it.each<[name: string, source: string, expected: number]>([
    ['100,000 elements inside each other', '<div>x'.repeat(100_000), 100_000],
    ['one tag of many attributes that never ends', repeated('<a '), 0],
    ['comments that open inside each other', repeated('<!--'), 0],
    ['CDATA sections that never end', `<svg>${repeated('a<![CDATA[')}`, 1],
    ['references around a word', `<p title="${repeated('&nbsp;')}x${repeated('&nbsp;')}">`, 1],
    ['text thrown out of a table', `<table>${repeated('x<tr>')}`, 200_000],
    [
      'formatting reopened in every paragraph',
      `<p>${numbered('b', 50_000)}${'<p>x'.repeat(125_000)}`,
      125_000,
    ],
    ['bodies that each add an attribute', `<p>${numbered('body translate=yes', 40_000)}x`, 1],
  ])('%s', (_name, source, expected) => {
    const segments = extractHtml(source);
    expect(segments).toHaveLength(expected);
    const rebuilt = rebuildHtml(
      source,
      segments,
      segments.map(() => 'y'),
    );
    expect(rebuilt.includes('x')).toBe(false);
  });
});

it('rejects a PDF with more than 2,000,000 characters, with the limit', async () => {
  const line = `BT /F 1 Tf 1 0 0 1 10 %y Tm (${'Many words of a page '.repeat(50)}) Tj ET `;
  const content = Array.from({ length: 400 }, (_, row) => line.replace('%y', String(10 + row))).join('');
  const document = await PDFDocument.create();
  const { context } = document;
  const stream = context.register(context.flateStream(content));
  const font = context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont: 'Helvetica' });
  for (let page = 0; page < 6; page++) {
    const { node } = document.addPage([12_000, 500]);
    node.set(PDFName.of('Contents'), stream);
    node.set(PDFName.of('Resources'), context.obj({ Font: { F: font } }));
  }
  await expect(extract(await document.save())).rejects.toMatchObject({
    name: 'FileError',
    reason: 'too_large',
    message: expect.stringContaining('2,000,000'),
  });
});

it('the blocks of a page take time in proportion to its texts', async () => {
  const dense = (count: number) =>
    page(
      Array.from({ length: count }, (_, index) =>
        text('ab', 10 + (index % 40) * 14.5, 790 - (Math.floor(index / 40) * 780 * 40) / count, {
          size: 4,
        }),
      ),
      Array.from({ length: count }, (_, index) => {
        const [x, y] = [9 + (index % 40) * 14.5, 789 - (Math.floor(index / 40) * 780 * 40) / count];
        return { ...rule(x, y, x + 14, y + 5), kind: 'stroke' as const };
      }),
    );
  const timeOf = (content: PageContent) => cpuTime(() => findBlocks(content));
  const [small, large] = [dense(2_000), dense(16_000)];
  await timeOf(small);
  expect(await timeOf(large)).toBeLessThan(24 * (await timeOf(small)));
});
