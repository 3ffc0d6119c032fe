import { readTmx, type TmxPair, type TmxSides, type TmxSummary } from '#server/formats/tmx/reader.ts';
import { readDeclaredVariant, readLanguage } from '#server/languages.ts';

/** The two languages of an import, as the caller declares them. */
export function declared(sourceTag: string, targetTag: string): TmxSides {
  const [source, target] = [readLanguage(sourceTag)!, readLanguage(targetTag)!];
  return {
    sourceTag,
    targetTag,
    isSource: (tag) => readDeclaredVariant(tag, source) === source,
    isTarget: (tag) => readDeclaredVariant(tag, target) === target,
  };
}

/** A TMX file with these elements in its body. The body begins in line 2. */
export function tmxOf(body: string, doctype = ''): string {
  return `<?xml version="1.0"?>${doctype}<tmx version="1.4"><header srclang="en"/><body>\n${body}</body></tmx>`;
}

export function tuv(tag: string, seg: string, attributes = ''): string {
  return `<tuv xml:lang="${tag}" ${attributes}><seg>${seg}</seg></tuv>`;
}

/** A TMX file with one unit from English into French. */
export function tmxOfPair(source: string, target = 'x', attributes = ''): string {
  return tmxOf(`<tu ${attributes}>${tuv('en', source)}${tuv('fr', target)}</tu>`);
}

export function readAll(
  file: string | Uint8Array,
  sides = declared('en', 'fr'),
): { summary: TmxSummary; pairs: TmxPair[] } {
  const pairs: TmxPair[] = [];
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const summary = readTmx(bytes, sides, (pair) => pairs.push(pair));
  return { summary, pairs };
}
