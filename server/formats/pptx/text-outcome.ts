import { createXmlReader } from '../flatten/xml.ts';
import { plainText } from '../inline-content.ts';
import { classOf } from '../layout-kinds.ts';
import { ChartCounter, type ChartText } from '../office/chart-texts.ts';
import { readPositionedXml } from '../office/xml-reader.ts';
import { letter } from '../text.ts';
import { countCharacters, type TextTally } from '../text-tally.ts';
import { isDrawing } from './drawing-xml.ts';
import type { LeftOut, TextPart } from './presentation.ts';
import type { TextBody } from './text-body.ts';

/** Counts the texts of a presentation that are in no segment, and checks that no text of a part is missing. */
export class PresentationTally {
  readonly #tally: TextTally;
  /** The visible characters of the current part that became segments or were kept. */
  #accounted = 0;

  constructor(tally: TextTally) {
    this.#tally = tally;
  }

  addBody({ paragraphs, isFallback }: TextBody, leftOut: LeftOut | undefined): void {
    if (isFallback) return;
    for (const { text, texts, isRepeated } of paragraphs) {
      const characters = countCharacters(text);
      this.#accounted += characters;
      if (characters === 0 || isRepeated) continue;
      if (texts.length === 0) this.#keep('number', characters);
      else if (leftOut) this.#keep(leftOut, characters);
      else {
        const inSegments = texts.reduce(
          (sum, { content }) => sum + countCharacters(plainText(content.source)),
          0,
        );
        if (characters > inSegments) this.#keep('number', characters - inSegments);
      }
    }
  }

  addTexts(texts: readonly ChartText[], { kind, leftOut, text }: TextPart): void {
    const read = kind === 'chart' ? namesOf(text.source) : texts.map((one) => one.text);
    for (const one of read) {
      const characters = countCharacters(one);
      if (characters === 0) continue;
      if (!letter.test(one)) this.#keep('number', characters);
      else if (leftOut) this.#keep(leftOut, characters);
    }
    this.#accounted = 0;
  }

  addField(text: string): void {
    const characters = countCharacters(text);
    this.#accounted += characters;
    if (characters > 0) this.#keep('fields', characters);
  }

  /** Compares the texts of a part with an independent count. */
  end({ kind, text }: TextPart): void {
    if (kind !== 'chart') this.#tally.check(charactersOf(text.source), this.#accounted);
    this.#accounted = 0;
  }

  #keep(reason: string, characters: number): void {
    this.#tally.keep(reason === 'pages' ? 'not_selected' : classOf('pptx', reason), reason, characters);
  }
}

function namesOf(source: string): readonly string[] {
  const counter = new ChartCounter();
  const reader = createXmlReader(counter);
  reader.write(source);
  reader.close();
  return counter.texts;
}

/** Counts the visible characters of the texts of a part, apart from those that only older programs show. */
function charactersOf(source: string): number {
  let characters = 0;
  let depth = 0;
  let fallbackAt = 0;
  let isText = false;
  readPositionedXml(source, {
    openTag: (tag) => {
      depth++;
      if (tag.local === 'Fallback') fallbackAt ||= depth;
      isText = tag.local === 't' && isDrawing(tag) && fallbackAt === 0;
    },
    text: (text) => {
      if (isText) characters += countCharacters(text.replaceAll('\u00ad', ''));
    },
    closeTag: () => {
      if (depth-- === fallbackAt) fallbackAt = 0;
      isText = false;
    },
  });
  return characters;
}
