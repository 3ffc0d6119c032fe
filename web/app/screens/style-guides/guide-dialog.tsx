import { useState } from 'react';
import { styleGuides } from '#sdk/style-guides.ts';
import type { StyleGuide, StyleGuideList } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Grid } from '../../kit/box.tsx';
import { FormDialog } from '../../kit/dialog.tsx';
import { NativeSelect, TextArea } from '../../kit/field.tsx';
import { LanguageSelect } from '../../parts/languages.tsx';
import { isConflict } from '../../parts/setting.tsx';
import { quotationMarks, shownMarks } from './guide-card.tsx';

type Draft = Omit<StyleGuide, 'version' | 'updated_at' | 'updated_by'> & { version: string | null };

const blank: Draft = {
  ...{ target_lang: null, rules: '', quotation_marks: null, spacing: null, formality: null },
  ...{ forbidden_words: [], version: null },
};

/**
 * A dialog that creates a style guide, or changes one. If another administrator has saved the guide since, it shows
 * this, and a second save replaces that version.
 * @param edited the guide to change; undefined to create one
 * @param readAgain reads the guides and shows them
 */
export function GuideDialog({
  title,
  edited,
  readAgain,
  onSaved,
  onClose,
}: {
  title: string;
  edited?: StyleGuide;
  readAgain: () => Promise<StyleGuideList>;
  onSaved: (words: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const t = useT();
  const [draft, setDraft] = useState<Draft>(() => {
    const { updated_at: _at, updated_by: _by, ...stored } = { ...edited };
    return { ...blank, ...stored };
  });
  const { target_lang, rules, quotation_marks, spacing, formality } = draft;
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const [words, setWords] = useState(() => wordsToLines(draft.forbidden_words));
  const submit = async () => {
    try {
      await bound(styleGuides).save({ ...draft, forbidden_words: linesToWords(words) });
      await onSaved(t('common.saved'));
    } catch (thrown) {
      if (isConflict(thrown)) {
        const { guides } = await readAgain();
        change({ version: guides.find((guide) => guide.target_lang === target_lang)?.version ?? null });
      }
      throw thrown;
    }
  };
  const isEmpty = rules.trim() === '' && words.trim() === '' && !quotation_marks && !spacing && !formality;
  return (
    <FormDialog
      title={title}
      isWide
      action={t('common.save')}
      isReady={!isEmpty}
      onSubmit={submit}
      onClose={onClose}
      problem={(error) =>
        (isConflict(error) && (
          <p role="alert" className="problem">
            {t('styleGuides.changed')}
          </p>
        )) ||
        null
      }
    >
      {!edited && (
        <LanguageSelect
          label={t('styleGuides.language')}
          any={t('styleGuides.all_languages')}
          value={target_lang ?? ''}
          onChange={(code) => change({ target_lang: code || null, version: null })}
        />
      )}
      <TextArea
        label={t('styleGuides.rules')}
        hint={t('styleGuides.rules_hint')}
        name="rules"
        maxLength={4000}
        value={rules}
        onValue={(text) => change({ rules: text })}
      />
      <Grid least={14}>
        <Choice
          label={t('styleGuides.quotation_marks')}
          value={quotation_marks}
          options={quotationMarks.map((pair) => [pair, shownMarks(pair)])}
          onValue={(pair) => change({ quotation_marks: pair })}
        />
        <Choice
          label={t('styleGuides.formality')}
          value={formality}
          options={(['formal', 'informal'] as const).map((one) => [one, t(`styleGuides.${one}`)])}
          onValue={(one) => change({ formality: one })}
        />
      </Grid>
      <Choice
        label={t('styleGuides.spacing')}
        value={spacing}
        options={(['narrow_no_break', 'none'] as const).map((one) => [one, t(`styleGuides.spacing_${one}`)])}
        onValue={(one) => change({ spacing: one })}
      />
      <TextArea
        label={t('styleGuides.forbidden_words')}
        hint={t('styleGuides.forbidden_words_hint')}
        name="forbidden_words"
        value={words}
        onValue={setWords}
      />
    </FormDialog>
  );
}

/** A choice of one rule, or none. */
function Choice<V extends string>({
  label,
  value,
  options,
  onValue,
}: {
  label: string;
  value: V | null;
  options: readonly (readonly [value: V, label: string])[];
  onValue: (value: V | null) => void;
}) {
  const t = useT();
  return (
    <NativeSelect
      label={label}
      value={value ?? ''}
      options={[['', t('styleGuides.not_checked')], ...options]}
      onChange={(one) => onValue(one || null)}
    />
  );
}

type ForbiddenWords = StyleGuide['forbidden_words'];

/** Writes forbidden words as lines, each with its replacement after an equals sign. */
function wordsToLines(words: ForbiddenWords): string {
  return words
    .map(({ term, use_instead }) => (use_instead === null ? term : `${term} = ${use_instead}`))
    .join('\n');
}

/** Reads the lines of `wordsToLines`. Empty lines, and lines that occur earlier, are left out. */
function linesToWords(lines: string): ForbiddenWords {
  const words = new Map<string, ForbiddenWords[number]>();
  for (const line of lines.split('\n')) {
    const [, term = '', use_instead = ''] = /^\s*(.*?)\s*(?:\s=\s(.*))?$/.exec(line) ?? [];
    if (term !== '' && !words.has(term)) words.set(term, { term, use_instead: use_instead.trim() || null });
  }
  return [...words.values()];
}
