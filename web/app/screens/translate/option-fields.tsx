import { ChevronRight } from 'lucide-react';
import { useId } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import setting from '../../parts/setting.module.css';
import styles from './options.module.css';
import type { OptionName, Options } from './options.ts';

/** The numeric fields. The service limits a value to the range of its field. */
const numbers = {
  minQuality: { label: 'translate.min_quality', hint: 'translate.min_quality_hint', min: 0, max: 100 },
  qualityRounds: { label: 'translate.quality_rounds', hint: 'translate.quality_rounds_hint', min: 1, max: 5 },
  debateRounds: { label: 'translate.debate_rounds', hint: 'translate.debate_rounds_hint', min: 1, max: 3 },
} as const satisfies Record<string, { label: MessageId; hint: MessageId; min: number; max: number }>;

/** The values of the tone. The first one is empty. */
const tones = [
  ['', 'translate.as_source'],
  ['formal', 'translate.tone_formal'],
  ['informal', 'translate.tone_informal'],
  ['neutral', 'translate.tone_neutral'],
] as const;

const genders = [
  ['', 'translate.as_source'],
  ['feminine', 'translate.gender_feminine'],
  ['masculine', 'translate.gender_masculine'],
  ['neutral', 'translate.gender_neutral'],
] as const;

/** The domains in which each translation requires a review. */
const reviewedDomains = ['finance', 'financial', 'healthcare', 'legal', 'medical', 'pharma'];

interface FieldsProps {
  options: Options;
  /** The options that are available for the current way to translate. */
  offered: readonly OptionName[];
  set: (change: Partial<Options>) => void;
}

/** The fields for tone, gender, domain, text format and review. */
export function OptionFields({ options, offered, set }: FieldsProps) {
  const t = useT();
  const has = (name: OptionName) => offered.includes(name);
  return (
    <>
      <fieldset className={styles.tones}>
        <legend>{t('translate.tone')}</legend>
        <div className="segmented">
          {tones.map(([value, name]) => (
            <label key={value}>
              <input
                type="radio"
                name="tone"
                checked={options.tone === value}
                onChange={() => set({ tone: value })}
              />
              {t(name)}
            </label>
          ))}
        </div>
      </fieldset>
      {has('domain') && <Domain value={options.domain} onChange={(domain) => set({ domain })} />}
      <label>
        {t('translate.gender')}
        <select value={options.gender} onChange={({ target }) => set({ gender: target.value })}>
          {genders.map(([value, name]) => (
            <option key={value} value={value}>
              {t(name)}
            </option>
          ))}
        </select>
        <span className="hint">{t('translate.gender_hint')}</span>
      </label>
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
      {has('requireReview') && (
        <label className={styles.switch}>
          <span>
            {t('translate.require_review')}
            <span className="hint">{t('translate.require_review_hint')}</span>
          </span>
          <input
            type="checkbox"
            className={setting.control}
            role="switch"
            aria-checked={options.requireReview}
            checked={options.requireReview}
            onChange={({ target }) => set({ requireReview: target.checked })}
          />
        </label>
      )}
      {has('minQuality') && <QualityFields options={options} offered={offered} set={set} />}
    </>
  );
}

function Domain({ value, onChange }: { value: string; onChange: (domain: string) => void }) {
  const t = useT();
  const domains = useId();
  const isReviewed = reviewedDomains.includes(value.trim().toLowerCase());
  return (
    <label>
      {t('translate.domain')}
      <input
        list={domains}
        maxLength={1000}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <span className={isReviewed ? `hint ${styles.reviewed}` : 'hint'}>
        {t(isReviewed ? 'translate.domain_reviewed' : 'translate.domain_hint')}
      </span>
      <datalist id={domains}>
        {reviewedDomains.map((domain) => (
          <option key={domain} value={domain} />
        ))}
      </datalist>
    </label>
  );
}

/** The fields that few members need. The label of the disclosure shows the minimum score and the number of repairs. */
function QualityFields({ options, offered, set }: FieldsProps) {
  const t = useT();
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
    <details className={styles.quality}>
      <summary>
        <ChevronRight size={15} aria-hidden />
        {t('translate.quality', {
          score: options.minQuality || '85',
          repairs: Number(options.qualityRounds || 2),
        })}
      </summary>
      {number('minQuality')}
      {number('qualityRounds')}
      {offered.includes('candidateModels') && (
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
    </details>
  );
}
