import { Plus } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { AddedTerm, TermInput } from '#sdk/term-types.ts';
import type { TerminologySet } from '#sdk/types.ts';
import { canonicalLanguage } from '#server/languages.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { TermFields } from './term-fields.tsx';
import styles from './terms.module.css';
import { presentTerm } from './use-terms.ts';

/** The row that adds a term. It stays ready for the next one, with the same languages. */
export function NewTermRow({
  set,
  onAdd,
}: {
  set: TerminologySet;
  onAdd: (term: TermInput) => Promise<AddedTerm>;
}) {
  const t = useT();
  const form = useId();
  const first = useRef<HTMLInputElement>(null);
  const { run, error, isBusy } = useAction();
  const [term, setTerm] = useState<TermInput>(() => ({
    source_lang: languageCode(set.source_lang),
    target_lang: languageCode(set.target_lang),
    source_term: '',
    target_term: '',
    case_sensitive: false,
    priority: 0,
  }));
  const [added, setAdded] = useState<AddedTerm>();
  const add = run(async () => {
    setAdded(undefined);
    const result = await onAdd(term);
    setAdded(result);
    // What was typed during the request is the next term.
    setTerm((now) =>
      now.source_term === term.source_term && now.target_term === term.target_term
        ? { ...now, source_term: '', target_term: '' }
        : now,
    );
    announce(t(result.added ? 'sets.term_added' : 'sets.term_known', { term: result.entry.source_term }));
    first.current?.focus();
  });
  const others = added?.other_targets ?? [];
  return (
    <>
      <tr className={styles.new}>
        <TermFields
          set={set}
          term={term}
          form={form}
          first={first}
          onChange={(change) => setTerm((before) => ({ ...before, ...change }))}
        />
        <td className={styles.acts}>
          <form id={form} onSubmit={add}>
            <button type="submit" className="primary" disabled={isBusy}>
              <Plus size={15} aria-hidden /> {t('sets.add_term')}
            </button>
          </form>
        </td>
      </tr>
      {(error !== undefined || others.length > 0) && (
        <tr className={styles.message}>
          <td colSpan={4}>
            {error ? (
              presentTerm(error) ? (
                <p role="alert">{t('sets.term_exists')}</p>
              ) : (
                <Problem error={error} />
              )
            ) : (
              <p role="status">
                {t('sets.other_targets')} <bdi translate="no">{others.join(' · ')}</bdi>
              </p>
            )}
          </td>
        </tr>
      )}
    </>
  );
}

/** The code for the language tag of a glossary; null without one. */
function languageCode(tag: string | null): string | null {
  return tag === null ? null : (canonicalLanguage(tag) ?? null);
}
