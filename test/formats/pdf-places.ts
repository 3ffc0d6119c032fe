import { execFileSync } from 'node:child_process';
import { apply } from '#server/formats/pdf/geometry.ts';
import type { PageContent, ShownText } from '#server/formats/pdf/page-content.ts';

/** A word and its box, in points from the top left corner of the displayed page. */
export interface Word {
  text: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The words that poppler finds on each page. */
export function wordsByPoppler(pdf: Uint8Array): Word[][] {
  const html = execFileSync('pdftotext', ['-bbox', '-cropbox', '-', '-'], {
    input: pdf,
    maxBuffer: 100_000_000,
    stdio: ['pipe', 'pipe', 'ignore'],
  }).toString('utf8');
  const word = /<word xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)<\/word>/g;
  return html
    .split('<page ')
    .slice(1)
    .map((page) =>
      [...page.matchAll(word)].map(([, left, top, right, bottom, text]) => ({
        text: decoded(text!),
        left: Number(left),
        top: Number(top),
        right: Number(right),
        bottom: Number(bottom),
      })),
    );
}

function decoded(text: string): string {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replace(/&(\w+);/g, (_, name: string) => characters[name] ?? '');
}

/** A glyph on the displayed page: its text and its center, in the coordinates of words. */
export interface SeenGlyph {
  text: string;
  x: number;
  y: number;
  shown: ShownText;
}

export function seenGlyphs({ texts, box, rotation }: PageContent): SeenGlyph[] {
  return texts.flatMap((shown) =>
    shown.glyphs.map(({ text, x: at, advance }) => {
      const [x, y] = apply(shown.matrix, at + advance / 2, 0.25);
      const [seenX, seenY] = {
        0: [x - box.left, box.top - y],
        90: [y - box.bottom, x - box.left],
        180: [box.right - x, y - box.bottom],
        270: [box.top - y, box.right - x],
      }[rotation] as [number, number];
      return { text, x: seenX, y: seenY, shown };
    }),
  );
}

/** The known letters of a text, in compatibility form and sorted. Soft hyphens that are drawn count as hyphens. */
export function letters(text: string): string {
  return [
    ...text
      .normalize('NFKC')
      .replaceAll('\u00ad', '-')
      .replace(/[\s\p{Cf}\p{Co}\ufffd]/gu, ''),
  ]
    .sort()
    .join('');
}

/** The words whose boxes contain other letters than those of the word. */
export function misplacedWords(page: PageContent, words: readonly Word[]): Word[] {
  const rows = new Map<number, SeenGlyph[]>();
  const row = (y: number): number => Math.floor(y / 20);
  for (const glyph of seenGlyphs(page)) {
    const glyphs = rows.get(row(glyph.y)) ?? [];
    glyphs.push(glyph);
    rows.set(row(glyph.y), glyphs);
  }
  return words.filter(({ text, left, top, right, bottom }) => {
    let found = '';
    for (let key = row(top); key <= row(bottom); key++)
      for (const glyph of rows.get(key) ?? [])
        if (glyph.x > left && glyph.x < right && glyph.y > top && glyph.y < bottom) found += glyph.text;
    return letters(found) !== letters(text);
  });
}
