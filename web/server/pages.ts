import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locale } from './locale.ts';

/** The directory of the pages that are part of the release, in Markdown. */
const ownPages = join(import.meta.dirname, '../pages');

/** Maximum size of a page's file, in bytes. */
const maxPageBytes = 1_000_000;

/** The properties of a deployment on which sentences of our pages depend. */
export type PageFacts = Readonly<Record<'billing' | 'mail' | 'model' | 'signUp' | 'storage', boolean>>;

export interface Page {
  title: string;
  /** HTML. */
  content: string;
  /** The language of the content. */
  locale: Locale;
}

/**
 * Reads a public page. If the operator has a file for the page, it replaces the file of the release. A file in the
 * requested language is used before one without a language. Files are read for each request, so that a change applies
 * immediately.
 * @param folder the directory `pages` under DATA_DIR
 * @param name the path of the page, such as `about` or `resources/first-steps`: letters, digits and hyphens
 * @param basePath the path of the public URL, which is inserted before paths such as `/docs` in the page
 * @param facts our own pages have passages in braces, such as `{mail? …}` and `{!mail? …}`, which are shown only if the
 * fact is true, or false
 * @returns undefined if the page does not exist. `home` exists only if the operator has a file for it.
 */
export async function readPage(
  folder: string,
  name: string,
  locale: Locale,
  basePath: string,
  facts: PageFacts,
): Promise<Page | undefined> {
  if (!/^(resources\/)?[a-z0-9-]{1,100}$/.test(name)) return undefined;
  for (const root of [folder, ownPages])
    for (const [suffix, language] of [[`.${locale}`, locale] as const, ['', 'en'] as const]) {
      const text = await readIfExists(join(root, `${name}${suffix}.md`));
      if (text === undefined) continue;
      const said = root === ownPages ? passagesOf(text, facts) : text;
      return { ...(await render(said, name, basePath)), locale: language };
    }
  return undefined;
}

/** Leaves out the passages that are not true of the deployment, with the item of a list if nothing is left of it. */
function passagesOf(text: string, facts: PageFacts): string {
  return text
    .replace(/\{(!?)(\w+)\? ([^{}]*)\}/g, (_, negated: string, fact: keyof PageFacts, said: string) =>
      facts[fact] === (negated === '') ? said : '',
    )
    .replace(/^- \n/gm, '');
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(file);
    if (bytes.length > maxPageBytes) throw new Error(`${file} is larger than ${maxPageBytes} bytes`);
    return bytes.toString('utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}

/**
 * Renders a page. Its title is its first heading of level 1. HTML is shown as text, and links to `javascript:` URLs are
 * not created.
 */
async function render(
  text: string,
  name: string,
  basePath: string,
): Promise<Pick<Page, 'title' | 'content'>> {
  const { default: MarkdownIt } = await import('markdown-it');
  const markdown = new MarkdownIt({ html: false });
  const environment = {};
  const tokens = markdown.parse(text, environment);
  for (const { children } of tokens)
    for (const token of children ?? [])
      for (const attribute of ['href', 'src']) {
        const address = token.attrGet(attribute);
        if (typeof address === 'string' && /^\/(?!\/)/.test(address))
          token.attrSet(attribute, basePath + address);
      }
  const heading = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
  const title = tokens[heading + 1]?.children?.map(({ content }) => content).join('');
  return {
    title: (heading >= 0 && title?.trim()) || name,
    content: markdown.renderer.render(tokens, markdown.options, environment),
  };
}
