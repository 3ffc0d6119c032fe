import { describe, expect, it } from 'vitest';
import { agreeOnRaggedEnds } from '#server/formats/pdf/layout/alignment.ts';
import type { TextBlock } from '#server/formats/pdf/text-block.ts';

type Paragraph = Pick<TextBlock, 'alignment' | 'kind' | 'lines'>;

const paragraph = (lines: number, alignment: TextBlock['alignment']): Paragraph => ({
  alignment,
  kind: 'paragraph',
  lines: Array.from({ length: lines }, () => ({ left: 0, right: 100, baseline: 0 })),
});

function agreed(paragraphs: Paragraph[], isRightToLeft = false): TextBlock['alignment'][] {
  agreeOnRaggedEnds(paragraphs, isRightToLeft);
  return paragraphs.map(({ alignment }) => alignment);
}

describe('a short paragraph whose lines have the same end', () => {
  it('is ragged on a ragged page', () => {
    expect(agreed([paragraph(5, 'left'), paragraph(3, 'justified')])).toEqual(['left', 'left']);
    expect(agreed([paragraph(5, 'right'), paragraph(2, 'justified')], true)).toEqual(['right', 'right']);
  });

  it('stays justified on a justified page, and on a page without other paragraphs', () => {
    const justified = [paragraph(9, 'justified'), paragraph(4, 'left'), paragraph(3, 'justified')];
    expect(agreed(justified)).toEqual(['justified', 'left', 'justified']);
    expect(agreed([paragraph(3, 'justified')])).toEqual(['justified']);
  });
});

it('a long justified paragraph stays justified on a ragged page', () => {
  expect(agreed([paragraph(9, 'left'), paragraph(6, 'justified')])).toEqual(['left', 'justified']);
});
