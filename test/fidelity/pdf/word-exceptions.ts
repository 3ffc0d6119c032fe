/** A word that pdftotext and the engine read differently, with the reason; null if the reason is unknown. */
export interface Explained {
  word: string;
  why: string | null;
}

/** Words that pdftotext reads differently, by file, with the reason. */
const exceptions: Record<string, { words: RegExp; why: string }[]> = {
  'arabic-source.pdf': [
    {
      words: /^أحيان/u,
      why: 'the mark of the last letter comes before the letter for one of the two readers, and after it for the other',
    },
  ],
  'form-irs-1040.pdf': [{ words: /^foobar$/, why: 'the value of a field: fields are kept' }],
  'form-xfa.pdf': [{ words: /./, why: 'values of fields: fields are kept' }],
  'mixed-scripts-type3.pdf': [
    {
      words: /^[\u0600-\u06ff]+$/u,
      why: 'the font names other letters of the same shape for some Arabic letters, and pdftotext takes replacement texts (ActualText), which have them divided and lack some',
    },
  ],
  'type3-font.pdf': [
    {
      words: /^(?:signi|er|ed|su|ce|cation|signi?fi\w*|suffice|fi?er)$/,
      why: 'pdftotext leaves out the ligatures of this bitmap font: “signi er” for “signifier”',
    },
  ],
};

export function explain(file: string, word: string): Explained {
  const why = exceptions[file]?.find(({ words }) => words.test(word))?.why ?? null;
  return { word, why };
}
