import { deployment } from '../deployment.ts';
import { useT } from '../i18n.tsx';
import styles from './demo-bar.module.css';

/** Tells visitors of the demo workspace that nothing is saved. The links leave it, so they load another page. */
export default function DemoBar() {
  const t = useT();
  const leave = `${deployment.basePath}/demo/leave`;
  return (
    <aside className={styles['demo']} aria-label={t('demo.label')}>
      <p>
        <b>{t('demo.title')}</b> {t('demo.why')}
      </p>
      <a href={leave}>{t('demo.leave')}</a>
      <a className="button primary small" href={`${leave}?to=signup`}>
        {t(deployment.emailSignUp ? 'demo.sign_up' : 'demo.sign_in')}
      </a>
    </aside>
  );
}
