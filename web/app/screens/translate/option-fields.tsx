import { useId } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Field, NativeSelect } from '../../kit/field.tsx';
import { Segments } from '../../kit/segments.tsx';
import { Switch } from '../../kit/switch.tsx';
import { Text } from '../../kit/text.tsx';
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
      <Segments
        label={t('translate.tone')}
        isLabelShown
        least={7}
        value={options.tone}
        options={tones.map(([value, name]) => [value, t(name)])}
        onChange={(tone) => set({ tone })}
      />
      {has('domain') && <Domain value={options.domain} onChange={(domain) => set({ domain })} />}
      <NativeSelect
        label={t('translate.gender')}
        hint={t('translate.gender_hint')}
        value={options.gender}
        options={genders.map(([value, name]) => [value, t(name)])}
        onChange={(gender) => set({ gender })}
      />
      {has('textType') && (
        <NativeSelect
          label={t('translate.text_type')}
          hint={t('translate.text_type_hint')}
          value={options.textType}
          options={[
            ['Plain', t('translate.plain')],
            ['Html', 'HTML'],
          ]}
          onChange={(textType) => set({ textType })}
        />
      )}
      {has('requireReview') && (
        <Switch
          label={t('translate.require_review')}
          hint={t('translate.require_review_hint')}
          isOn={options.requireReview}
          onChange={(requireReview) => set({ requireReview })}
        />
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
    <>
      <Field
        label={t('translate.domain')}
        hint={
          isReviewed ? <Text tone="warn">{t('translate.domain_reviewed')}</Text> : t('translate.domain_hint')
        }
        list={domains}
        maxLength={1000}
        value={value}
        onValue={onChange}
      />
      <datalist id={domains}>
        {reviewedDomains.map((domain) => (
          <option key={domain} value={domain} />
        ))}
      </datalist>
    </>
  );
}

/** The fields that few members need. The label of the disclosure shows the minimum score and the number of repairs. */
function QualityFields({ options, offered, set }: FieldsProps) {
  const t = useT();
  const number = (name: keyof typeof numbers) => {
    const { label, hint, ...limits } = numbers[name];
    return (
      <Field
        label={t(label)}
        hint={t(hint)}
        type="number"
        inputMode="numeric"
        {...limits}
        value={options[name]}
        onValue={(value) => set({ [name]: value })}
      />
    );
  };
  return (
    <Disclosure
      title={t('translate.quality', {
        score: options.minQuality || '85',
        repairs: Number(options.qualityRounds || 2),
      })}
    >
      {number('minQuality')}
      {number('qualityRounds')}
      {offered.includes('candidateModels') && (
        <Field
          label={t('translate.candidate_models')}
          hint={t('translate.candidate_models_hint')}
          maxLength={1000}
          translate="no"
          value={options.candidateModels}
          onValue={(candidateModels) => set({ candidateModels })}
        />
      )}
      {options.candidateModels.trim() !== '' && number('debateRounds')}
    </Disclosure>
  );
}
