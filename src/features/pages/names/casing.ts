/** Words of up to three letters that are no abbreviations. Other short words stay in capitals. */
const shortWords = new Set(
  `ACE AGE AID AIR ALL AMP ANN ANT APP ARC ARK ART ASH ATE AUX BAR BAY BED BEN BIG BIO BOX BOY BUS BUY CAN CAP CAR CO COM COS CUT DAN
  DAY DE DEL DEN DIE DOG DON DOW DR DRY DU EAR EAT EGG EL ELI EN END EYE FAR FE FIT FIX FLY FOX FUN GAP GAS GEM GEO GET GO GUM GUN GUY HAT
  HOT HUB ICE INC INK INN IRA JET JOB JOE JOY KEY KIT LA LAB LAW LE LEE LES LOW LTD MAC MAE MAN MAP MAX MED MEN MID MR MT NET NEW NEX
  NON NOR NU OAK OIL OLD ONE OUR OUT OWL OX PAN PAR PAY PEN PET PHI PIE PIN PIT POP PRO RAY RED RIM RIO ROD ROY RX SAM SAN SEA SET
  SIR SIX SKY SON SOY ST STE SUN SUR TAX TEA TEN TEX THE TIM TIN TOP TOY TRI TWO UN UNI VAN VIA VON WAR WAY WEB WET YOU YUM ZOO`.split(
    /\s+/,
  ),
)
/** Lower case unless they begin the name. */
const particles = new Set(['AND', 'AT', 'BY', 'FOR', 'IN', 'OF', 'ON', 'OR', 'THE', 'TO'])
/** Longer abbreviations that could be spoken as words. */
const abbreviations = new Set(['ESOP', 'NAFTA', 'NATO', 'NYSE', 'REIT', 'REITS', 'USAA', 'VIII'])
/** Names that their companies write in a way that no rule finds. */
const ownSpellings = new Map(
  `AutoZone AvalonBay BorgWarner CenterPoint ConocoPhillips DaVita DIRECTV eBay FedEx FirstEnergy JPMorgan KeyCorp
  MEMC MetLife NextEra ONEOK PACCAR PepsiCo SunTrust SUPERVALU TEGNA UnitedHealth`
    .split(/\s+/)
    .map(name => [name.toUpperCase(), name]),
)
/** With what a spoken word may begin, of two consonants and more. */
const onset =
  /^(BH?|BL|BR|CH|CHL|CHR|CL|CR|CZ|DR|DW|FJ|FL|FR|GH|GL|GN|GR|KH|KL|KN|KR|LL|PF|PH|PHL|PHR|PL|PR|PS|PT|RH|SC|SCH|SCHL|SCHM|SCHN|SCHR|SCHW|SCR|SH|SHR|SK|SL|SM|SN|SP|SPH|SPL|SPR|SQ|ST|STR|SV|SW|TH|THR|TR|TS|TW|VL|WH|WR|ZW|[BCDFGHJKLMNPQRSTVWXZ]?)$/
const letters = /^[A-ZÀ-ÖØ-Þ]+$/

/**
 * A registrant's name as people write it: "ABBOTT LABORATORIES" becomes "Abbott Laboratories". Registers keep many names in
 * capitals alone. Only those change, and whatever may be an abbreviation keeps its capitals: short words, words that cannot be
 * spoken, words with a digit, an ampersand or full stops, and the company's symbols.
 *
 * @param ids of the company
 */
export function casedName(name: string, ids: readonly string[] = []): string {
  if (/\p{Ll}/u.test(name) || !/[A-Z]{2}/.test(name)) return name
  return name
    .split(' ')
    .map((word, at) => casedWord(word, at === 0, ids))
    .join(' ')
}

function casedWord(word: string, isFirst: boolean, ids: readonly string[]): string {
  const [, start = '', text = '', end = ''] = /^([("]*)(.*?)([,.)";:]*)$/.exec(word) ?? []
  const own = ownSpellings.get(text)
  if (own !== undefined) return start + own + end
  if (!isFirst && particles.has(text)) return start + text.toLowerCase() + end
  const [, name, place] = /^([^/]{2,}?)(\.?\/.*)$/.exec(text) ?? []
  // CORP/DE: a state or a country follows.
  if (name !== undefined && place !== undefined) return casedWord(start + name, isFirst, ids) + place + end
  if (/[&\d./]/.test(text) || ids.includes(text)) return word
  const parts = text.split('-').map(part => casedPart(part))
  return start + parts.join('-') + end
}

function casedPart(text: string): string {
  const [, before = '', after] = /^(\p{Lu}+)['’](\p{Lu}*)$/u.exec(text) ?? []
  if (after !== undefined) {
    // O'REILLY and LOWE'S.
    const rest = before.length === 1 ? capitalised(after) : after.toLowerCase()
    return `${before.length === 1 ? before : casedPart(before)}'${rest}`
  }
  if (!letters.test(text) || isAbbreviation(text)) return text
  if (/^MC[A-Z]{3,}$/.test(text)) return `Mc${capitalised(text.slice(2))}`
  return capitalised(text)
}

function isAbbreviation(text: string): boolean {
  if (text.length <= 3) return !shortWords.has(text)
  if (abbreviations.has(text) || !/[AEIOUYÀ-ÖØ-Þ]/.test(text)) return true
  const [first = ''] = /^[BCDFGHJKLMNPQRSTVWXZ]*/.exec(text) ?? []
  return !onset.test(first) && !text.startsWith('MC')
}

const capitalised = (text: string) => text.charAt(0) + text.slice(1).toLowerCase()
