import type { LandingWords } from './words.ts';

export const es: LandingWords = {
  title: 'Traducciones de las que puedes responder',
  eyebrow: 'Traducción de código abierto, con personas en el proceso',
  headline: 'Traducciones de las que puedes responder.',
  lead: 'Envía una frase o un archivo entero. LinguaLoop lo traduce, comprueba cada segmento y te muestra solo los que necesitan a una persona.',
  readApi: 'Leer la API',
  demo: 'Explorar el espacio de demostración',
  points: [
    'Código abierto, con licencia MIT',
    'En tu servidor: `npm ci && npm start`',
    'Funciona con modelos compatibles con OpenAI',
  ],
  picture:
    'El editor: el acta de una reunión en inglés y español, segmento por segmento, con una hora cambiada marcada como crítica.',
  how: 'Cómo funciona',
  howHeading: 'Tres cosas que no se le escapan',
  layout: {
    heading: 'El diseño se conserva',
    text: 'Los archivos de {formats} formatos conservan su forma: títulos, tablas, enlaces y saltos de página. En árabe, la página se lee de derecha a izquierda.',
    measured:
      'Medido: {texts} de {texts} textos traducidos en {files} archivos de Word y Excel, con todas las fórmulas, enlaces y estilos sin cambios.',
  },
  checks: {
    heading: 'Comprobaciones que ningún modelo puede anular',
    text: 'Un código sencillo compara números, marcadores, enlaces y etiquetas. Una buena puntuación no compensa un importe cambiado.',
    measured:
      'Medido: {caught} de {losses} errores introducidos encontrados en {tested} idiomas, y {alarms} falsas alarmas en {pairs} traducciones reales.',
  },
  memory: {
    heading: 'Una memoria que crean los revisores',
    text: 'Un texto aprobado se vuelve a usar sin modelo. Los textos parecidos guían al modelo como ejemplos, y tus términos se aplican desde el primer trabajo.',
    measured:
      'Medido: entre {segments} segmentos, una coincidencia exacta tarda {exact} ms, y una parcial, {fuzzy} ms.',
    exact: ['Ya aprobado', 'sin modelo'],
    fuzzy: ['Un importe difiere', 'un ejemplo'],
    fresh: ['nuevo', 'Nunca visto', 'todo comprobado'],
  },
  formats: 'Formatos',
  formatsHeading: '{formats} formatos de archivo que conservan su forma',
  different: {
    heading: 'Qué lo distingue',
    submissions: {
      heading: 'Ningún envío cuenta dos veces',
      text: 'Vuelve a enviar un texto o un archivo con la misma clave y obtienes el mismo trabajo. Sus caracteres cuentan una vez.',
    },
    gate: {
      heading: 'Un control antes de cada resultado',
      text: 'Una traducción que no pasa una comprobación va a un revisor, en textos y en archivos. El revisor corrige segmento por segmento, y hasta un PDF conserva su diseño.',
    },
    storage: {
      heading: 'Un almacenamiento que es tuyo',
      text: 'Los archivos y los registros están en un directorio de tu servidor o en tu Azure Data Lake. El modelo recibe textos, nunca archivos.',
    },
    start: {
      heading: 'Un comando para alojarlo',
      text: '`npm ci && npm start` instala e inicia todo, también la base de datos. No hace falta ninguna cuenta ni clave de licencia.',
    },
    install: 'Instalación',
  },
  languages: 'Idiomas',
  languagesHeading: '{count} idiomas, cada uno en su escritura',
  developers: 'Desarrolladores',
  developersHeading: 'Una solicitud. La respuesta es el trabajo terminado.',
  developersText:
    'Un texto que necesita un revisor devuelve `awaiting_review` y aparece en la bandeja de entrada.',
  developersPoints: [
    'SDK con tipos: {sdk} kB, sin dependencias',
    'OpenAPI 3.1, XLIFF 2.1, TBX',
    'Claves de idempotencia, cursores, errores legibles',
  ],
  quickStart: 'Inicio rápido',
  samples: 'Ejemplo',
  comment: 'la respuesta es el trabajo terminado',
  prices: {
    heading: 'Precios',
    characters: '{characters} caracteres al mes',
    per: { day: 'al día', week: 'a la semana', month: 'al mes', year: 'al año' },
    topup: 'Más cuando los necesites: {characters} caracteres por {price}.',
    inclusive: 'Los precios incluyen impuestos.',
    exclusive: 'Los precios no incluyen impuestos.',
  },
  finalHeading: 'Leer menos. Confiar más.',
  finalText: 'Empieza con un archivo.',
  trial:
    'Empieza con un texto: los primeros {characters} caracteres son gratuitos durante {days}. Los archivos y la API requieren un plan.',
  plan: 'Los textos, los archivos y la API requieren un plan.',
  apiPlan: 'En este servicio, la API requiere un plan.',
};
