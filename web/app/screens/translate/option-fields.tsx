import { useId } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { noOptions, type OptionName, type Options } from './options.ts';
import styles from './translate.module.css';

/** The numeric fields, with the range to which the service clamps them. */
const numbers = {
  minQuality: { label: 'translate.min_quality', hint: 'translate.min_quality_hint', min: 0, max: 100 },
  qualityRounds: { label: 'translate.quality_rounds', hint: 'translate.quality_rounds_hint', min: 1, max: 5 },
  debateRounds: { label: 'translate.debate_rounds', hint: 'translate.debate_rounds_hint', min: 1, max: 3 },
} as const satisfies Record<string, { label: MessageId; hint: MessageId; min: number; max: number }>;

/** Domains whose texts always require a review. */
const reviewedDomains = ['finance', 'healthcare', 'legal', 'medical', 'pharma'];

/**
 * Tone, domain, gender and other options, in a disclosure that shows how many are set.
 * @param offered the options for this way to translate
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

  const number = (name: keyof typeof numbers) => {
    const { label, hint, min, max } = numbers[name];
    return (
      <label>
        {t(label)}
        <input
          type="number"
          inputMode="numeric"
          min={min}
          max={max}
          value={options[name]}
          onChange={({ target }) => set({ [name]: target.value })}
        />
        <span className="hint">{t(hint)}</span>
      </label>
    );
  };

  return (
    <details className={styles.options}>
      <summary>{count > 0 ? t('translate.options_set', { count }) : t('translate.options')}</summary>
      <div className={styles.optionGrid}>
        <label>
          {t('translate.tone')}
          <select value={options.tone} onChange={({ target }) => set({ tone: target.value })}>
            <option value="">{t('translate.as_source')}</option>
            <option value="formal">{t('translate.tone_formal')}</option>
            <option value="informal">{t('translate.tone_informal')}</option>
            <option value="neutral">{t('translate.tone_neutral')}</option>
          </select>
        </label>
        <label>
          {t('translate.gender')}
          <select value={options.gender} onChange={({ target }) => set({ gender: target.value })}>
            <option value="">{t('translate.as_source')}</option>
            <option value="feminine">{t('translate.gender_feminine')}</option>
            <option value="masculine">{t('translate.gender_masculine')}</option>
            <option value="neutral">{t('translate.gender_neutral')}</option>
          </select>
          <span className="hint">{t('translate.gender_hint')}</span>
        </label>
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
        {has('minQuality') && number('minQuality')}
        {has('qualityRounds') && number('qualityRounds')}
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
        {has('debateRounds') && options.candidateModels.trim() !== '' && number('debateRounds')}
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
