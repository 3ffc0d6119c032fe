import { Plus } from 'lucide-react';
import { type RefObject, useId, useRef, useState } from 'react';
import type { OutputOf } from '#sdk/procedure-types.ts';
import type { TerminologySet } from '#sdk/types.ts';
import { canonicalLanguage } from '#server/languages.ts';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { Check } from '../../kit/field.tsx';
import { announce } from '../../parts/announcer.tsx';
import { languageOf } from '../../parts/language-text.tsx';
import { LanguageSelect } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { maxTermLength } from './term-form.tsx';
import styles from './terms.module.css';
import { presentTerm, type TermInput } from './use-terms.ts';

/** The row that adds a term. It stays ready for the next one, with the same languages. */
export function NewTermRow({
  set,
  onAdd,
}: {
  set: TerminologySet;
  onAdd: (term: TermInput) => Promise<OutputOf<'terminology.addTerm'>>;
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
  const [added, setAdded] = useState<OutputOf<'terminology.addTerm'>>();
  const add = run(async () => {
    setAdded(undefined);
    const result = await onAdd(term);
    setAdded(result);
    // Text typed during the request is the next term.
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
            <button type="submit" className="primary" aria-disabled={isBusy}>
              <Plus size={15} aria-hidden /> {t('sets.add_term')}
            </button>
          </form>
        </td>
      </tr>
      {(error !== undefined || others.length > 0) && (
        <tr>
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

/** The fields of a term as cells of a row. @param form the ID of the form to which the fields belong */
function TermFields({
  set,
  term,
  form,
  first,
  onChange,
}: {
  set: TerminologySet;
  term: TermInput;
  form: string;
  first: RefObject<HTMLInputElement | null>;
  onChange: (change: Partial<TermInput>) => void;
}) {
  const t = useT();
  const field = { form, required: true, maxLength: maxTermLength, autoComplete: 'off' } as const;
  return (
    <>
      <td>
        <input
          {...field}
          {...languageOf(term.source_lang ?? 'auto')}
          ref={first}
          aria-label={t('sets.source')}
          placeholder={t('sets.source')}
          value={term.source_term}
          onChange={({ target }) => onChange({ source_term: target.value })}
        />
      </td>
      <td>
        <input
          {...field}
          {...languageOf(term.target_lang ?? 'auto')}
          aria-label={t('sets.target')}
          placeholder={t('sets.target')}
          spellCheck
          value={term.target_term}
          onChange={({ target }) => onChange({ target_term: target.value })}
        />
      </td>
      <td>
        <Row gap={3}>
          {(['source', 'target'] as const).map(
            (side) =>
              set[`${side}_lang`] === null && (
                <LanguageSelect
                  key={side}
                  label={t(`sets.${side}_language`)}
                  value={term[`${side}_lang`] ?? ''}
                  any={t('sets.any_language')}
                  onChange={(code) => onChange({ [`${side}_lang`]: code || null })}
                />
              ),
          )}
          <Check
            label={t('sets.case_sensitive')}
            isChecked={term.case_sensitive}
            onChange={(case_sensitive) => onChange({ case_sensitive })}
          />
        </Row>
      </td>
    </>
  );
}

/** The code for the language tag of a glossary; null without one. */
function languageCode(tag: string | null): string | null {
  return tag === null ? null : (canonicalLanguage(tag) ?? null);
}
