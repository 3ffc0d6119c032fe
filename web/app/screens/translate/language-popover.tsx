import { type RefObject, useState } from 'react';
import { Dialog, Popover } from 'react-aria-components';
import type { LanguageCode } from '#server/languages.ts';
import { useT } from '../../i18n.tsx';
import { isComposing } from '../../keys/match-key.ts';
import { useLanguages } from '../../parts/languages.tsx';
import styles from './panes.module.css';

/** All languages with a search field. Enter selects the only language that is found. */
export default function LanguagePopover({
  trigger,
  chosen,
  onChange,
  onClose,
}: {
  trigger: RefObject<HTMLButtonElement | null>;
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
    <Popover
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => isOpen || onClose()}
      placement="bottom start"
      className={styles.popover as string}
    >
      <Dialog className={styles.picker as string} aria-label={t('translate.target_languages')}>
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
          {shown.map(({ code, name }) => (
            <label key={code}>
              <input
                type="checkbox"
                checked={chosen.includes(code)}
                onChange={({ target }) => select(code, target.checked)}
              />
              {name}
            </label>
          ))}
          {shown.length === 0 && <p className="hint">{t('languages.none')}</p>}
        </div>
        <button type="button" className="primary" onClick={onClose}>
          {t('translate.languages_done')}
        </button>
      </Dialog>
    </Popover>
  );
}
