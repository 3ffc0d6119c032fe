import { Download } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useT } from '../../i18n.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import style from './steps.module.css';

/** Shows the recovery codes, which the service returns only once. */
export function RecoveryCodes({ codes, onKept }: { codes: string[]; onKept(): void }) {
  const t = useT();
  const text = `${codes.join('\n')}\n`;
  const download = () => {
    const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = 'lingualoop-recovery-codes.txt';
    link.click();
    // After 10 s, the browser has started to read the file.
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
  return (
    <UntilKept words={t('signin.codes_kept')} onKept={onKept}>
      <p>{t('signin.codes_why')}</p>
      <ul className={style['codes']} translate="no" dir="ltr">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p className="actions">
        <CopyButton text={text} />
        <button type="button" onClick={download}>
          <Download size={16} aria-hidden /> {t('signin.codes_download')}
        </button>
      </p>
    </UntilKept>
  );
}

/**
 * Shows secrets that the service returns only once, until the member confirms that they are saved. The browser asks
 * before the page is left.
 * @param words label of the button
 */
export function UntilKept({
  words,
  onKept,
  children,
}: {
  words: string;
  onKept(): void;
  children: ReactNode;
}) {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  return (
    <>
      {children}
      <button type="button" className="primary" onClick={onKept}>
        {words}
      </button>
    </>
  );
}
