import type { LanguageCode } from '#server/languages.ts';

/** The words of a language that show where nouns are. */
interface Grammar {
  /** Articles and other determiners, before a noun. */
  determiners: ReadonlySet<string>;
  /** Words that may be inside a term of three or more words. */
  inner: ReadonlySet<string>;
}

const split = (words: string): ReadonlySet<string> => new Set(words.split(' ').filter(Boolean));

const grammars: Partial<Record<string, Grammar>> = {
  en: {
    determiners: split('the a an these those your its our their each every any some no his her'),
    inner: split('of for'),
  },
  de: {
    determiners: split(
      'der die das den dem des ein eine einen einem einer eines dieser diese dieses diesem diesen ihr ihre ihren ihrem ihrer jede jeder jedes jedem jeden kein keine keinen keinem keiner im am zum zur vom beim',
    ),
    inner: split(''),
  },
  fr: {
    determiners: split(
      'le la les l un une des du au aux ce cet cette ces son sa ses leur leurs votre vos notre nos chaque',
    ),
    inner: split('de du des d à en'),
  },
  es: {
    determiners: split('el la los las un una unos unas este esta estos estas su sus cada del al'),
    inner: split('de del para en'),
  },
  it: {
    determiners: split(
      'il lo la i gli le un uno una questo questa questi queste suo sua ogni del della dei delle al alla nel nella',
    ),
    inner: split('di del della dei delle da a'),
  },
  pt: {
    determiners: split('o a os as um uma este esta estes estas seu sua cada do da dos das no na ao à'),
    inner: split('de do da dos das para em'),
  },
  nl: {
    determiners: split('de het een deze dit die dat uw zijn haar hun elke elk geen'),
    inner: split('van voor'),
  },
};

const none: Grammar = { determiners: new Set(), inner: new Set() };

export function grammar(language: LanguageCode): Grammar {
  return grammars[language.split('-')[0] as string] ?? none;
}

/**
 * Words that no term begins or ends with: function words, and frequent words of general language. Not the words of a
 * subject, even if they are frequent.
 */
const general: Partial<Record<string, string>> = {
  en: `a about above according account actually add after again against all almost along already also although always am among an and another any anything are around as ask at available away back be became because become been before began being below best better between both but by call called can cannot case cases certain clear clearly close come comes common complete completely contain contains could current currently day days default did different do does doing don't done down due during each easily easy either else end enough entire especially etc even ever every everything example examples exist existing far few finally find first following for found from full fully further gave general generally get gets give given gives go goes going good got had happen has have having he help her here high him his how however i if immediately important in include included includes including indeed initial instead into is isn't it its itself just keep kind know known large last later least left less let like likely list little long look made main make makes making manually many may maybe me mean means might more most much must my name near necessary need needed needs neither never new next no none normal normally nor not note nothing now number of off often ok old on once one ones only onto or order other others otherwise our out over own part particular particularly people per perhaps place point possible possibly problem problems provide provided provides put quite rather read really reason recommended related requires required right run running said same say says second section see seem seems seen select selected separate set several shall she should show shows similar simple simply since single small so some someone something sometimes soon special specific specify still such sure take taken takes tell than that the their them then there therefore these they thing things think this those though three through thus time times to together too total tried try two type types typical typically under unless until up upon us use used useful user users using usual usually various very via want was way ways we well were what when where whether which while who whole whose why will wish with within without won't work works would yes yet you your yourself`,
  de: `ab aber alle allem allen aller alles als also am an andere anderen anderer anderes anders auch auf aus außerdem bei beide beiden beim beispiel bereits besser bestimmte bestimmten bevor bin bis bitte bleibt da dabei dadurch dafür daher damit danach dann daran darauf daraus darf darin das dass dazu deinen dem den denen denn der deren des deshalb dessen die dies diese diesem diesen dieser dieses dort durch dürfen ein eine einem einen einer eines einfach einige einigen einmal entweder er erst erste ersten es etwa etwas eventuell falls fast folgende folgenden folgt für ganz gegen geht gibt gilt gleich gut haben hat hatte hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in indem innerhalb insbesondere ist ja jede jedem jeden jeder jedes jedoch jetzt kann kein keine keinem keinen keiner können könnte lassen lässt machen man manche mehr meisten mit möchten möglich möglicherweise muss müssen nach nachdem natürlich neben neue neuen nicht nichts noch nötig nun nur ob oben obwohl oder oft ohne schon sehr sein seine seinem seinen seiner seit selbst sich sie siehe sind so sobald sofern sogar solche solchen sollte sollten somit sondern sonst sowie sowohl stellen über um und uns unser unter usw verschiedene verschiedenen verwenden verwendet verwendete viel viele vielen vom von vor während wann war waren warum was weil weiter weitere weiteren welche welchem welchen welcher welches wenig weniger wenn wer werden wie wieder will wir wird wo wobei worden wurde wurden zu zum zur zusätzlich zwei zwischen`,
  fr: `a à afin ai ainsi alors après assez au aucun aucune aussi autre autres aux avant avec avez avoir avons bien bon c car cas ce cela celle celles celui certain certaine certaines certains ces cet cette ceux chaque ci comme comment d dans de déjà depuis dernier dernière des deux devez devrait différents différentes doit doivent donc donner dont du durant elle elles en encore enfin ensuite entre est et étaient était étant été être eux exemple faire fait faut fois font grand grande il ils j je jusqu l la là laquelle le lequel les lesquels leur leurs lors lorsque lui m ma mais même mêmes mes mettre moins mon n ne ni non nos notre nous nouveau nouveaux nouvelle nouvelles on ont ou où par parce pas pendant permet peu peut peuvent peut-être plus plusieurs plutôt possible pour pourquoi pouvez premier première prendre près puis qu quand que quel quelle quelles quelque quelques quels qui quoi s sa sans sauf se selon sera seront ses seul seule seulement si sinon soit son sont sous souvent suivant suivante suivantes suivants sur t te tel telle telles tels toujours tous tout toute toutefois toutes très trop trouver un une utilisé utiliser utilisez vers via voir vos votre vous y`,
  es: `a además ahora al algo algún alguna algunas algunos ante antes aquel aquí así aún aunque bajo bien bueno cada casi caso como con contra cual cuales cualquier cuando cuanto cuyo da de debe deben debería del desde después dicho diferentes donde dos durante e el él ella ellas ellos en entonces entre era es esa esas ese eso esos esta está están estas este esto estos etc forma fue fueron gran ha haber había hace hacer hacia han hasta hay incluso la las le les lo los luego más mayor me mediante mejor menos mi mientras mismo misma mucho muchos muy nada necesario ni ningún ninguna no nos nuestro nueva nuevas nuevo nuevos nunca o otra otras otro otros para parte pero poco por porque posible primer primera primero pueda puede pueden puesto pues que quien quizá s sea según ser si sí siempre siguiente siguientes sin sino sobre solamente solo sólo son su sus tal también tan tanto tarde te tiene tienen toda todas todavía todo todos tras tres u un una unas uno unos usar usted usando utilizar varias varios vea vez y ya`,
};

/** Whether the words of general language are known, or function words have another script. */
export const hasGeneralWords = (language: LanguageCode): boolean =>
  general[language.split('-')[0] as string] !== undefined || language === 'ja';

const sets = new Map<string, ReadonlySet<string>>();

/** Returns the words that no term begins or ends with; for most languages only the determiners and inner words. */
export function generalWords(language: LanguageCode): ReadonlySet<string> {
  const base = language.split('-')[0] as string;
  const known = sets.get(base);
  if (known) return known;
  const { determiners, inner } = grammar(language);
  const set = new Set([...split((general[base] ?? '').replaceAll('\n', ' ')), ...determiners, ...inner]);
  sets.set(base, set);
  return set;
}
