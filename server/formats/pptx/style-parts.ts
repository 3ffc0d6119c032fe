import { Numbering } from '../office/numbering.ts';
import type { Relationship } from '../office/package.ts';
import { readDrawing } from './drawing-reader.ts';
import { InheritedStyles, type PartStyles, placeholderStyle, readLists } from './inherited-styles.ts';
import type { Levels } from './list-styles.ts';
import { type Presentation, type ReadPart, targetsOf, withName } from './presentation-parts.ts';

/** Reads the layouts and masters of a presentation, each once. */
export class StyleParts {
  readonly #presentation: Presentation;
  readonly #defaults: Levels | undefined;
  readonly #read = new Map<string, { part: ReadPart; styles: PartStyles }>();

  constructor(presentation: Presentation) {
    const { path, text } = presentation.main;
    this.#presentation = presentation;
    this.#defaults = withName(path, () => readLists(text.source)).get('defaultTextStyle');
  }

  /** Returns what the shapes of a part inherit. @param parents the layout and the master, the most general first */
  inheritedFrom(parents: readonly PartStyles[]): InheritedStyles {
    return new InheritedStyles(this.#defaults, parents);
  }

  /**
   * Returns what the shapes of a slide or notes inherit.
   *
   * @param relationships those of the slide or the notes
   * @param types the types of the parts from which it inherits, the nearest first
   */
  async inherited(
    relationships: readonly Relationship[],
    types: readonly string[],
  ): Promise<InheritedStyles> {
    const parents: PartStyles[] = [];
    let around = relationships;
    for (const type of types) {
      const path = targetsOf(around, type)[0];
      if (path === undefined) break;
      const { part, styles } = await this.of(path);
      parents.unshift(styles);
      around = part.relationships;
    }
    return this.inheritedFrom(parents);
  }

  /** Returns a layout or master, and what it gives to other parts. */
  async of(path: string): Promise<{ part: ReadPart; styles: PartStyles }> {
    const known = this.#read.get(path);
    if (known) return known;
    const part = await this.#presentation.read(path);
    const { source } = part.text;
    const styles: PartStyles = { placeholders: [], lists: withName(path, () => readLists(source)) };
    readDrawing(
      source,
      {
        ...{ path, roots: ['sldLayout', 'sldMaster', 'notesMaster', 'handoutMaster'], inherited: () => [] },
        numbering: new Numbering(''),
        countElement: this.#presentation.countElement,
      },
      (body) => {
        const style = placeholderStyle(body);
        if (style) styles.placeholders.push(style);
      },
    );
    const read = { part, styles };
    this.#read.set(path, read);
    return read;
  }
}
