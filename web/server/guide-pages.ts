import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import { escapeHtml } from './html.ts';

type Token = ReturnType<typeof markdown.parse>[number];

/** A page of the documentation. */
export interface Guide {
  /** The last part of the page's URL. */
  name: string;
  /** The title as written in the list of guides. */
  title: string;
  /** The page as HTML, including its heading of level 1. */
  content: string;
  parts: GuidePart[];
}

/** A heading with the text up to the next heading. Searches find such parts. */
export interface GuidePart {
  heading: string;
  /** The `id` of the heading. */
  anchor: string;
  text: string;
}

/** All guides, in reading order. */
export interface GuideBook {
  index: Guide;
  sections: { title: string; guides: Guide[] }[];
  byName: ReadonlyMap<string, Guide>;
}

/**
 * The directory of the guides. A file outside `docs/` is a guide if `docs/README.md` links to it and `outside` lists
 * it.
 */
const root = join(import.meta.dirname, '../..');
const outside: Readonly<Record<string, string>> = { 'sdk/README.md': 'sdk' };
const indexFile = 'docs/README.md';

const markdown = new MarkdownIt({ html: false });
markdown.renderer.rules['fence'] = (tokens, at) => codeBlock(tokens[at] as Token);
markdown.renderer.rules['table_open'] = () => '<div class="table" tabindex="0"><table>\n';
markdown.renderer.rules['table_close'] = () => '</table></div>\n';

/** A picture of the application in a guide, as HTML; undefined if the picture does not exist. */
type PictureOf = (name: string, alt: string) => string | undefined;

markdown.renderer.rules['image'] = (tokens, at, _options, environment) => {
  const image = tokens[at] as Token;
  const name = /^images\/([\w-]+)-light\.webp$/.exec(String(image.attrGet('src')))?.[1];
  return (
    (name && (environment as { picture: PictureOf }).picture(name, image.content)) ||
    escapeHtml(image.content)
  );
};

/**
 * Reads all guides: the Markdown files directly in `docs/`, and the files elsewhere to which `docs/README.md` links.
 * This index also determines the order and the sections; guides to which it does not link come last. Links to other
 * guides become links to their pages. Links to files that are not guides, such as decision records, become plain text.
 * Pictures of the application are shown in the theme of the reader.
 * @param address the public URL of the service, which replaces the example URL in commands
 */
export async function readGuides(address: string, picture: PictureOf): Promise<GuideBook> {
  const basePath = new URL(address).pathname.replace(/\/+$/, '');
  const read = async (file: string) => withAddress(await readFile(join(root, file), 'utf8'), address);
  const index = await read(indexFile);
  const listed = sectionsOf(markdown.parse(index, {}));
  const named = new Set(listed.flatMap(({ files }) => files.map(({ file }) => file)));
  const others = (await readdir(join(root, 'docs')))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
    .filter((file) => file !== indexFile && !named.has(file))
    .sort()
    .map((file) => ({ file, title: '' }));
  if (others.length > 0) listed.push({ title: 'More', files: others });

  const files = new Set([indexFile, ...listed.flatMap(({ files }) => files.map(({ file }) => file))]);
  const addressOf = (file: string) =>
    files.has(file) ? `${basePath}/docs/guides/${nameOf(file)}` : undefined;
  const sections = await Promise.all(
    listed.map(async ({ title, files }) => ({
      title,
      guides: await Promise.all(
        files.map(async (entry) => renderGuide(entry, await read(entry.file), addressOf, picture)),
      ),
    })),
  );
  const guides = sections.flatMap(({ guides }) => guides);
  return {
    index: renderGuide({ file: indexFile, title: '' }, index, addressOf, picture),
    sections,
    byName: new Map(guides.map((guide) => [guide.name, guide])),
  };
}

/**
 * The example URL of the service in the files, with or without its scheme. The URL of a model server, which ends with
 * `/v1`, does not match.
 */
const writtenAddress = /(?:http:\/\/)?127\.0\.0\.1:8080(?!\/v1)/g;

/** Replaces the example URL by the URL of this service, so that the commands of a guide can be run unchanged. */
function withAddress(text: string, address: string): string {
  return text.replace(writtenAddress, () => address);
}

function nameOf(file: string): string {
  return file === indexFile ? '' : (outside[file] ?? basename(file, '.md'));
}

/** The sections of the index: each heading of level 2, with the guides to which the text below it links. */
function sectionsOf(tokens: readonly Token[]) {
  const sections: { title: string; files: { file: string; title: string }[] }[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open' && token.tag === 'h2')
      sections.push({ title: textOf(tokens[at + 1]), files: [] });
    for (const [n, child] of (token.children ?? []).entries()) {
      const target = child.type === 'link_open' ? String(child.attrGet('href')) : '';
      const file = posix.join('docs', target);
      if (!/^[^:#]+\.md$/.test(target) || (dirname(file) !== 'docs' && !outside[file])) continue;
      sections.at(-1)?.files.push({ file, title: token.children?.[n + 1]?.content ?? '' });
    }
  }
  return sections.filter(({ files }) => files.length > 0);
}

function renderGuide(
  { file, title }: { file: string; title: string },
  text: string,
  addressOf: (file: string) => string | undefined,
  picture: PictureOf,
): Guide {
  const environment = { picture };
  const tokens = markdown.parse(text, environment);
  nameHeadings(tokens);
  for (const token of tokens) if (token.children) token.children = linked(token.children, file, addressOf);
  const parts = partsOf(tokens);
  return {
    name: nameOf(file),
    title: title || (parts[0]?.heading ?? nameOf(file)),
    content: markdown.renderer.render(withPlainCells(sideBySide(tokens)), markdown.options, environment),
    parts,
  };
}

/** Returns the `id` of a heading, in the same form as GitHub. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function nameHeadings(tokens: readonly Token[]): void {
  const seen = new Map<string, number>();
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const anchor = anchorOf(textOf(tokens[at + 1]));
    const earlier = seen.get(anchor) ?? 0;
    seen.set(anchor, earlier + 1);
    token.attrSet('id', earlier === 0 ? anchor : `${anchor}-${earlier}`);
  }
}

/**
 * Changes the links in a paragraph: a link to a guide becomes a link to its page; a link to any other file becomes
 * plain text.
 */
function linked(
  children: readonly Token[],
  file: string,
  addressOf: (file: string) => string | undefined,
): Token[] {
  let dropped = false;
  return children.filter((token) => {
    if (token.type === 'link_close') return !dropped;
    if (token.type !== 'link_open') return true;
    const target = String(token.attrGet('href'));
    dropped = false;
    if (/^[a-z]+:|^#/i.test(target)) return true;
    const [path = '', anchor] = target.split('#', 2);
    const address = addressOf(posix.join(posix.dirname(file), path));
    dropped = address === undefined;
    if (address !== undefined) token.attrSet('href', address + (anchor === undefined ? '' : `#${anchor}`));
    return !dropped;
  });
}

/**
 * Groups consecutive code blocks, which show the same example in several languages, so that wide windows can show them
 * side by side.
 */
function sideBySide(tokens: readonly Token[]): Token[] {
  const isCode = (token: Token | undefined) => token?.type === 'fence';
  return tokens.flatMap((token, at) => {
    if (!isCode(token)) return [token];
    const [before, after] = [isCode(tokens[at - 1]), isCode(tokens[at + 1])];
    return [
      ...(!before && after ? [rawHtml(token, '<div class="pair">\n')] : []),
      token,
      ...(before && !after ? [rawHtml(token, '</div>\n')] : []),
    ];
  });
}

/**
 * Adapts the tables. An empty header cell becomes a normal cell, because it is useless to screen readers. Alignment
 * becomes a class, because the content security policy of the pages allows no style attributes.
 */
function withPlainCells(tokens: readonly Token[]): Token[] {
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'th_open' && tokens[at + 1]?.content === '')
      for (const cell of [token, tokens[at + 2]]) if (cell) cell.tag = 'td';
    const style = token.attrGet('style');
    if (style === null) continue;
    token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style');
    if (String(style).includes('right')) token.attrSet('class', 'number');
  }
  return [...tokens];
}

function rawHtml(like: Token, html: string): Token {
  const token: Token = Object.assign(Object.create(Object.getPrototypeOf(like)), like);
  return Object.assign(token, { type: 'html_block', tag: '', content: html });
}

const languageNames: Readonly<Record<string, string>> = {
  sh: 'Shell',
  ts: 'TypeScript',
  js: 'JavaScript',
  json: 'JSON',
  sql: 'SQL',
  yaml: 'YAML',
};

function codeBlock({ info, content }: Token): string {
  const [language = ''] = info.trim().split(/\s+/);
  const name = language === 'sh' && /\bcurl\b/.test(content) ? 'curl' : languageNames[language];
  const caption = name ? `<figcaption>${name}</figcaption>` : '';
  return `<figure>${caption}<pre tabindex="0"><code>${escapeHtml(content)}</code></pre></figure>\n`;
}

function partsOf(tokens: readonly Token[]): GuidePart[] {
  const parts: GuidePart[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open')
      parts.push({ heading: textOf(tokens[at + 1]), anchor: String(token.attrGet('id')), text: '' });
    const part = parts.at(-1);
    const isHeading = tokens[at - 1]?.type === 'heading_open';
    if (part && !isHeading && (token.type === 'inline' || token.type === 'fence'))
      part.text += `${token.type === 'fence' ? token.content : textOf(token)}\n`;
  }
  return parts;
}

function textOf(token: Token | undefined): string {
  return (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');
}
