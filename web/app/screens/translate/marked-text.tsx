import { Fragment } from 'react';
import type { TranslationJob } from '#sdk/types.ts';
import { LanguageText } from '../../parts/language-text.tsx';
import styles from './panes.module.css';

/** Placeholders and tags: a look only; the service decides what a placeholder is. */
const placeholder =
  /\{\{?[\w.-]{1,60}\}?\}|%(?:\d+\$)?[sd@]|%\{\w{1,60}\}|<\/?[a-zA-Z][\w-]{0,30}[^<>]{0,200}>/g;

/** Maximum length of a text whose parts are marked, in UTF-16 units. */
const longest = 20_000;

interface Mark {
  start: number;
  end: number;
  kind: 'placeholder' | 'term';
}

/** The terms of a glossary that a job applied, as the service stores them. */
export interface AppliedTerm {
  target: string;
  setName: string;
}

/** The glossary terms that the service found in the text of a job. */
export function appliedTerms({ request }: TranslationJob): AppliedTerm[] {
  const entries = request.metadata?.['terminology_entries'];
  if (!Array.isArray(entries)) return [];
  return entries.flatMap(({ target_term: target, set_name: setName }: Record<string, unknown>) =>
    typeof target === 'string' && typeof setName === 'string' ? { target, setName } : [],
  );
}

/** Shows a translation with its placeholders as chips, and its glossary terms underlined. */
export function MarkedText({
  text,
  language,
  terms,
  className,
}: {
  text: string;
  language: string;
  terms: readonly AppliedTerm[];
  className: string | undefined;
}) {
  let at = 0;
  return (
    <LanguageText language={language} className={className}>
      {marksIn(text, terms).map(({ start, end, kind }) => {
        const before = text.slice(at, start);
        at = end;
        return (
          <Fragment key={start}>
            {before}
            <span className={styles[kind]}>{text.slice(start, end)}</span>
          </Fragment>
        );
      })}
      {text.slice(at)}
    </LanguageText>
  );
}

/** The marked parts of a text, in order and without overlaps. */
export function marksIn(text: string, terms: readonly AppliedTerm[]): Mark[] {
  if (text.length > longest) return [];
  const found = [...text.matchAll(placeholder)].map(
    ({ index, 0: { length } }): Mark => ({ start: index, end: index + length, kind: 'placeholder' }),
  );
  const lower = text.toLowerCase();
  for (const target of new Set(terms.map((term) => term.target.toLowerCase()))) {
    if (target === '' || lower.length !== text.length) continue;
    for (let start = lower.indexOf(target); start >= 0; start = lower.indexOf(target, start + target.length))
      found.push({ start, end: start + target.length, kind: 'term' });
  }
  const marks: Mark[] = [];
  for (const mark of found.toSorted((a, b) => a.start - b.start || b.end - a.end))
    if (mark.start >= (marks.at(-1)?.end ?? 0)) marks.push(mark);
  return marks;
}
