import type { RefObject } from 'react';
import type { TerminologySet } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { languageOf } from '../../parts/language-text.tsx';
import { LanguageSelect } from '../../parts/languages.tsx';
import styles from './terms.module.css';
import type { TermInput } from './use-terms.ts';

/** Maximum length of a term in UTF-16 units; a term has at most 500 code points. */
const maxLength = 1000;

/** The fields of a term as cells of a row. @param form the ID of the form to which the fields belong */
export function TermFields({
  set,
  term,
  form,
  first,
  withPriority = false,
  onChange,
}: {
  set: TerminologySet;
  term: TermInput;
  form: string;
  first: RefObject<HTMLInputElement | null>;
  withPriority?: boolean;
  onChange: (change: Partial<TermInput>) => void;
}) {
  const t = useT();
  const field = { form, required: true, maxLength, autoComplete: 'off' } as const;
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
          // Such a term is its own translation.
          disabled={term.do_not_translate === true}
          value={term.do_not_translate ? term.source_term : term.target_term}
          onChange={({ target }) => onChange({ target_term: target.value })}
        />
      </td>
      <td className={styles.options}>
        {set.source_lang === null && (
          <LanguageSelect
            label={t('sets.source_language')}
            value={term.source_lang ?? ''}
            any={t('sets.any_language')}
            onChange={(code) => onChange({ source_lang: code || null })}
          />
        )}
        {set.target_lang === null && (
          <LanguageSelect
            label={t('sets.target_language')}
            value={term.target_lang ?? ''}
            any={t('sets.any_language')}
            onChange={(code) => onChange({ target_lang: code || null })}
          />
        )}
        <label className="check">
          <input
            form={form}
            type="checkbox"
            checked={term.case_sensitive}
            onChange={({ target }) => onChange({ case_sensitive: target.checked })}
          />
          {t('sets.case_sensitive')}
        </label>
        {withPriority && (
          <label className={styles.priority}>
            {t('sets.priority_label')}
            <input
              form={form}
              type="number"
              step={1}
              value={term.priority}
              onChange={({ target }) => onChange({ priority: target.valueAsNumber || 0 })}
            />
          </label>
        )}
      </td>
    </>
  );
}
