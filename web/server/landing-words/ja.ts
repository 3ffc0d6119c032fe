import type { LandingWords } from './words.ts';

export const ja: LandingWords = {
  title: '責任を持てる翻訳',
  eyebrow: '人が関わるオープンソースの翻訳',
  headline: '責任を持てる翻訳を。',
  lead: '一文でも、ファイルまるごとでも。LinguaLoop が翻訳し、すべてのセグメントを検査し、人の目が必要なものだけを見せます。',
  readApi: 'API を読む',
  demo: 'デモ用ワークスペースを見る',
  points: [
    'MIT ライセンスのオープンソース',
    '自分で動かせます：`npm ci && npm start`',
    'OpenAI 互換のモデルで動きます',
  ],
  picture:
    'エディター：英語とスペイン語の議事録がセグメントごとに並び、変わってしまった時刻に重大の印が付いています。',
  how: 'しくみ',
  howHeading: '見逃さない三つのこと',
  layout: {
    heading: 'レイアウトはそのまま',
    text: '{formats} 種類の形式のファイルが、見出し、表、リンク、改ページを保ちます。アラビア語では右から左に読むページになります。',
    measured:
      '実測：Word と Excel の {files} ファイルで {texts} 件中 {texts} 件を翻訳。数式、リンク、スタイルはすべて変化なし。',
  },
  checks: {
    heading: 'モデルが覆せない検査',
    text: '数値、プレースホルダー、リンク、タグは、モデルではなくプログラムが比べます。点数が良くても、変わった金額は通りません。',
    measured:
      '実測：{tested} 言語で、埋め込んだ誤り {losses} 件の {caught} を検出。実際の翻訳 {pairs} 件での誤報は {alarms}。',
  },
  memory: {
    heading: 'レビューする人が育てるメモリ',
    text: '承認済みのテキストには、モデルを使わずに同じ訳を返します。似たテキストはモデルの手本になり、用語は最初のジョブから守られます。',
    measured: '実測：{segments} セグメントの中で、完全一致は {exact} ミリ秒、あいまい一致は {fuzzy} ミリ秒。',
    exact: ['承認済み', 'モデルなし'],
    fuzzy: ['金額だけ違う', 'モデルの手本'],
    fresh: ['新規', '初めての文', 'すべて検査'],
  },
  formats: '形式',
  formatsHeading: '形を保つ {formats} 種類のファイル形式',
  different: {
    heading: 'ほかとの違い',
    submissions: {
      heading: '二重に数えない送信',
      text: 'テキストやファイルを同じキーでもう一度送ると、同じジョブが返ります。文字数は一度だけ数えられます。',
    },
    gate: {
      heading: '結果の前に品質ゲート',
      text: '検査に通らない翻訳は、テキストでもファイルでもレビューに回ります。セグメントごとに直しても、PDF までレイアウトを保ちます。',
    },
    storage: {
      heading: '保存先は自分のもの',
      text: 'ファイルと記録は、自分のサーバーのディレクトリか、自分の Azure Data Lake に保存されます。モデルに渡すのはテキストだけです。',
    },
    start: {
      heading: 'コマンドひとつでセルフホスト',
      text: '`npm ci && npm start` が、データベースも含めてすべてを導入し、起動します。アカウントもライセンスキーも不要です。',
    },
    install: 'インストール',
  },
  languages: '言語',
  languagesHeading: '{count} の言語を、それぞれの文字で',
  developers: '開発者',
  developersHeading: 'リクエストひとつ。応答は完了したジョブです。',
  developersText: '人のレビューが必要なテキストは `awaiting_review` を返し、受信トレイに入ります。',
  developersPoints: [
    '型付きの SDK：{sdk} kB、依存なし',
    'OpenAPI 3.1、XLIFF 2.1、TBX',
    '冪等キー、カーソル、読めるエラー',
  ],
  quickStart: 'クイックスタート',
  samples: '例',
  comment: '応答は完了したジョブです',
  prices: {
    heading: '料金',
    characters: '月 {characters} 文字',
    per: { day: '/日', week: '/週', month: '/月', year: '/年' },
    topup: '必要に応じて追加できます：{characters} 文字 {price}。',
    inclusive: '価格は税込です。',
    exclusive: '価格は税別です。',
  },
  finalHeading: '読む量を減らし、信頼を増やす。',
  finalText: 'まずは一つのファイルから。',
  trial:
    'まずはテキストから。最初の {characters} 文字は {days}間無料です。ファイルと API にはプランが必要です。',
  plan: 'テキスト、ファイル、API にはプランが必要です。',
  apiPlan: 'このサービスでは、API にプランが必要です。',
};
