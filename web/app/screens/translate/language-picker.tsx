import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { LanguageCode } from '#server/languages.ts';
import { useT } from '../../i18n.tsx';
import { isComposing } from '../../keys/match-key.ts';
import { Grid, Stack } from '../../kit/box.tsx';
import { Check } from '../../kit/field.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { PopoverButton } from '../../parts/popover-button.tsx';
import styles from './panes.module.css';

/**
 * A button that opens the list of all languages, in which several can be selected.
 * @param text the label of the button; without it, the button shows only an icon
 */
export function LanguagePicker({
  chosen,
  text,
  className,
  onChange,
}: {
  chosen: readonly string[];
  text?: string;
  className: string | undefined;
  onChange: (codes: LanguageCode[]) => void;
}) {
  const t = useT();
  return (
    <PopoverButton
      className={className}
      {...(text === undefined && {
        'aria-label': t('translate.add_language'),
        title: t('translate.add_language'),
      })}
      opens={{
        label: t('translate.target_languages'),
        placement: 'bottom start',
        className: styles.picker,
        content: (close) => <AllLanguages chosen={chosen} onChange={onChange} onClose={close} />,
      }}
    >
      <Plus size={text === undefined ? 16 : 13} aria-hidden />
      {text}
    </PopoverButton>
  );
}

/** All languages with a search field. Enter selects the only language that is found. */
function AllLanguages({
  chosen,
  onChange,
  onClose,
}: {
  chosen: readonly string[];
  onChange: (codes: LanguageCode[]) => void;
  onClose: () => void;
}) {
  const t = useT();
  const { languages } = useLanguages();
  const [sought, setSought] = useState('');
  const shown = languages.filter(({ found }) => found.includes(sought.trim().toLowerCase()));
  const select = (code: LanguageCode, isChosen: boolean) =>
    onChange([...chosen.filter((one): one is LanguageCode => one !== code), ...(isChosen ? [code] : [])]);
  return (
    <Stack gap={2} pad={3}>
      <input
        type="search"
        aria-label={t('languages.find')}
        placeholder={t('languages.find')}
        value={sought}
        onChange={({ target }) => setSought(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
          event.preventDefault();
          const [only] = shown;
          if (only && shown.length === 1) select(only.code, !chosen.includes(only.code));
        }}
      />
      <div className={styles.all}>
        <Grid least={11} gap={0}>
          {shown.map(({ code, name }) => (
            <Check
              key={code}
              label={name}
              isChecked={chosen.includes(code)}
              onChange={(isChosen) => select(code, isChosen)}
            />
          ))}
          {shown.length === 0 && <p className="hint">{t('languages.none')}</p>}
        </Grid>
      </div>
      <button type="button" className="primary" onClick={onClose}>
        {t('translate.languages_done')}
      </button>
    </Stack>
  );
}
