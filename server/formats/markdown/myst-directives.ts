/*
 * The directives of MyST (Jupyter Book, Sphinx): fences and colons with a name in braces. The body of most directives is
 * Markdown, that of others is code. Options stand between the first line and the body.
 */

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** The directives whose argument is a title or a text, and not a file or a language. */
export const mystTitles = words(
  'admonition attention caution danger error hint important note seealso tip warning dropdown tab-item card grid-item-card aside sidebar topic details toggle rubric centered table list-table exercise solution todo',
);

/** Further directives with Markdown inside. */
const markdownBodies = words(
  'figure tab-set tabs grid grid-item card-carousel cards card-header card-body card-footer card-row margin epigraph pull-quote highlights blockquote div container compound hlist only versionadded versionchanged versionremoved deprecated button-link button-ref exercise-start solution-start full-width marginnote sidenote',
);

const hasMarkdown = (name: string): boolean =>
  mystTitles.has(name) || markdownBodies.has(name) || /^(?:prf|proof|theme):/.test(name);

/** The directives whose body is code, also between colons. */
const codeBodies = words(
  'code code-block code-cell sourcecode literalinclude math mermaid raw raw-html eval-rst toctree bibliography image iframe embed graphviz plantuml include parsed-literal csv-table contents tableofcontents doctest testcode autoclass automodule autofunction autosummary highlight',
);

/** The role of a line in a directive: its first or last line, an option, code, or a line between two parts of its body. */
export type DirectiveLine = 'first' | 'last' | 'option' | 'code' | 'part';

interface Open {
  sign: string;
  length: number;
  /** `fence` is code of Markdown. */
  body: 'markdown' | 'code' | 'fence';
}

const fence = /^(`{3,}|~{3,}|:{3,})[ \t]*(?:\{([\w:+-]+)\})?(.*)$/;
const anyDirective = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(?:`{3,}|~{3,}|:{3,})[ \t]*\{[\w:+-]+\}/m;

/** Reads the lines of a file without the signs of quotes and lists. */
export class DirectiveReader {
  readonly #isUsed: boolean;
  readonly #open: Open[] = [];
  #options: 'no' | 'next' | 'yaml' = 'no';

  constructor(source: string) {
    this.#isUsed = anyDirective.test(source);
  }

  /** Returns undefined for a line without a meaning for directives. */
  read(text: string): DirectiveLine | undefined {
    if (!this.#isUsed) return undefined;
    const last = this.#open.at(-1);
    const isCode = last !== undefined && last.body !== 'markdown';
    if (this.#isOption(text)) return 'option';
    const [, signs = '', name, rest = ''] = fence.exec(text) ?? [];
    const sign = signs[0] ?? '';
    const isEnd = last?.sign === sign && signs.length >= last.length && !name && rest.trim() === '';
    if (isEnd) {
      this.#open.pop();
      return last.body === 'fence' || (last.body === 'code' && sign !== ':') ? undefined : 'last';
    }
    if (isCode) return last.sign === ':' ? 'code' : undefined;
    if (sign === '') return last && /^(?:\+{3}|\^{3})$/.test(text) ? 'part' : undefined;
    // A span of code has its last backticks in the same line.
    if (sign === '`' && rest.includes('`')) return undefined;
    return this.#begin({ sign, length: signs.length }, name);
  }

  #begin(open: Pick<Open, 'sign' | 'length'>, name: string | undefined): DirectiveLine | undefined {
    if (name === undefined) {
      // The end of a block with colons has no name in other syntax.
      if (open.sign !== ':') this.#open.push({ ...open, body: 'fence' });
      return undefined;
    }
    const isMarkdown = open.sign === ':' ? !codeBodies.has(name) : hasMarkdown(name);
    this.#open.push({ ...open, body: isMarkdown ? 'markdown' : 'code' });
    this.#options = 'next';
    return isMarkdown || open.sign === ':' ? 'first' : undefined;
  }

  #isOption(text: string): boolean {
    if (this.#options === 'no') return false;
    if (text === '---') {
      this.#options = this.#options === 'next' ? 'yaml' : 'no';
      return true;
    }
    if (this.#options === 'yaml' || /^:[\w-]+:(?:[ \t]|$)/.test(text)) return true;
    this.#options = 'no';
    return false;
  }
}
