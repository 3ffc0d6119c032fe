import { useId } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { noOptions, type OptionName, type Options } from './options.ts';
import styles from './translate.module.css';

/** The numeric fields. The service limits a value to the range of its field. */
const numbers = {
  minQuality: { label: 'translate.min_quality', hint: 'translate.min_quality_hint', min: 0, max: 100 },
  qualityRounds: { label: 'translate.quality_rounds', hint: 'translate.quality_rounds_hint', min: 1, max: 5 },
  debateRounds: { label: 'translate.debate_rounds', hint: 'translate.debate_rounds_hint', min: 1, max: 3 },
} as const satisfies Record<string, NumberRange>;

interface NumberRange {
  label: MessageId;
  hint: MessageId;
  min: number;
  max: number;
}

/** The fields with a selection of values. The first option of each field is empty. */
const choices = {
  tone: {
    label: 'translate.tone',
    values: [
      ['', 'translate.as_source'],
      ['formal', 'translate.tone_formal'],
      ['informal', 'translate.tone_informal'],
      ['neutral', 'translate.tone_neutral'],
    ],
  },
  gender: {
    label: 'translate.gender',
    hint: 'translate.gender_hint',
    values: [
      ['', 'translate.as_source'],
      ['feminine', 'translate.gender_feminine'],
      ['masculine', 'translate.gender_masculine'],
      ['neutral', 'translate.gender_neutral'],
    ],
  },
} as const satisfies Record<string, ChoiceOptions>;

interface ChoiceOptions {
  label: MessageId;
  hint?: MessageId;
  values: readonly (readonly [value: string, name: MessageId])[];
}

/** The domains in which each translation requires a review. */
const reviewedDomains = ['finance', 'healthcare', 'legal', 'medical', 'pharma'];

/**
 * The fields for tone, domain, gender and other options. They are in a disclosure whose label shows how many are set.
 * @param offered the options that are available for this way to translate
 */
export function OptionFields({
  options,
  offered,
  onChange,
}: {
  options: Options;
  offered: readonly OptionName[];
  onChange: (options: Options) => void;
}) {
  const t = useT();
  const domains = useId();
  const set = (change: Partial<Options>) => onChange({ ...options, ...change });
  const has = (name: OptionName) => offered.includes(name);
  const count = offered.filter((name) => options[name] !== noOptions[name]).length;

  const number = (name: keyof typeof numbers) =>
    has(name) && (
      <NumberField of={numbers[name]} value={options[name]} onChange={(value) => set({ [name]: value })} />
    );

  return (
    <details className={styles.options}>
      <summary>{count > 0 ? t('translate.options_set', { count }) : t('translate.options')}</summary>
      <div className={styles.optionGrid}>
        <Choice of={choices.tone} value={options.tone} onChange={(tone) => set({ tone })} />
        <Choice of={choices.gender} value={options.gender} onChange={(gender) => set({ gender })} />
        {has('domain') && (
          <label>
            {t('translate.domain')}
            <input
              list={domains}
              maxLength={1000}
              value={options.domain}
              onChange={({ target }) => set({ domain: target.value })}
            />
            <span className="hint">{t('translate.domain_hint')}</span>
            <datalist id={domains}>
              {reviewedDomains.map((domain) => (
                <option key={domain} value={domain} />
              ))}
            </datalist>
          </label>
        )}
        {has('textType') && (
          <label>
            {t('translate.text_type')}
            <select
              value={options.textType}
              onChange={({ target }) => set({ textType: target.value === 'Html' ? 'Html' : 'Plain' })}
            >
              <option value="Plain">{t('translate.plain')}</option>
              <option value="Html" translate="no">
                HTML
              </option>
            </select>
            <span className="hint">{t('translate.text_type_hint')}</span>
          </label>
        )}
        {number('minQuality')}
        {number('qualityRounds')}
        {has('candidateModels') && (
          <label>
            {t('translate.candidate_models')}
            <input
              maxLength={1000}
              translate="no"
              value={options.candidateModels}
              onChange={({ target }) => set({ candidateModels: target.value })}
            />
            <span className="hint">{t('translate.candidate_models_hint')}</span>
          </label>
        )}
        {options.candidateModels.trim() !== '' && number('debateRounds')}
      </div>
      {has('requireReview') && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={options.requireReview}
            onChange={({ target }) => set({ requireReview: target.checked })}
          />
          {t('translate.require_review')}
        </label>
      )}
    </details>
  );
}

function Choice({
  of: { label, hint, values },
  value,
  onChange,
}: {
  of: ChoiceOptions;
  value: string;
  onChange: (value: string) => void;
}) {
  const t = useT();
  return (
    <label>
      {t(label)}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {values.map(([one, name]) => (
          <option key={one} value={one}>
            {t(name)}
          </option>
        ))}
      </select>
      {hint && <span className="hint">{t(hint)}</span>}
    </label>
  );
}

function NumberField({
  of: { label, hint, min, max },
  value,
  onChange,
}: {
  of: NumberRange;
  value: string;
  onChange: (value: string) => void;
}) {
  const t = useT();
  return (
    <label>
      {t(label)}
      <input
        type="number"
        inputMode="numeric"
        min={min}
        max={max}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <span className="hint">{t(hint)}</span>
    </label>
  );
}
