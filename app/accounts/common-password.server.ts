import { Rejection } from '../forms/outcome.ts'
import { COMMON_PASSWORD_ERROR } from './password.ts'

// From the yearly lists of leaked passwords, six characters and more.
const COMMON_PASSWORDS = `
123456 1234567 12345678 123456789 1234567890 0123456789 987654321 9876543210 654321 7654321 87654321 112233 123123
121212 131313 123321 1234561 12345a 123456a a123456 123456aa abc123 abcd1234 abc12345 abcdef abcdefg abcdefgh a1b2c3
a1b2c3d4 aa123456 aaa111 asd123 asdasd asdf1234 asdfgh asdfghjk asdfghjkl asdfjkl azerty qazwsx qazwsxedc qwaszx qwe123
qweasd qweasdzxc qweqwe qwer1234 qwert qwert1 qwerty qwerty1 qwerty12 qwerty123 qwertyui qwertyuiop q1w2e3 q1w2e3r4
q1w2e3r4t5 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 zaq12wsx zxcvbn zxcvbnm zxcvbnm123 password password1 password12
password123 password1234 passw0rd p@ssw0rd p@ssword pass1234 pass123 passpass passwd admin admin1 admin123 admin1234
administrator root123 toor123 letmein letmein1 welcome welcome1 welcome123 login123 master master123 iloveyou iloveyou1
monkey dragon sunshine princess football baseball baseball1 basketball soccer tennis tennis1 tennis123 superman batman
pokemon pikachu michael jordan jordan23 charlie thomas daniel jessica ashley hunter hunter2 killer shadow trustno1
starwars freedom whatever computer internet google yahoo docomo softbank secret secret1 secret123 changeme default guest
guest123 test123 test1234 testtest demo1234 user1234 hello123 hello1234 samsung android windows purple orange banana
flower cookie cheese pepper ginger summer winter spring autumn nippon japan japan1 tokyo tokyo1 kyoto kyoto1 kyoto123
osaka1 sakura sakura1 sakura123 hanako taro123 doraemon totoro naruto arigato konnichiwa himitsu kawaii takahiro
takashi hiroshi makoto satoshi yamada tanaka suzuki watanabe nakamura kobayashi 1111aaaa aaaa1111 1a2b3c 1a2b3c4d
147258 147258369 159753 159357 741852963 789456 789456123 456789 102030 101010 010101 202020 696969 777777a 11223344
1122334455 12341234 123454321 12344321 1234qwer 123qwe 123qweasd 123abc 12qwaszx 1234abcd 00000000 111111 222222
`
const commonPasswords = new Set(COMMON_PASSWORDS.trim().split(/\s+/))

export function isCommonPassword(password: string, email: string) {
  const normalized = password.normalize('NFKC').toLowerCase()
  return (
    commonPasswords.has(normalized) ||
    /^(.)\1*$/u.test(normalized) ||
    normalized === email ||
    normalized === email.split('@')[0]
  )
}

export function assertUncommon(password: string, email: string) {
  if (isCommonPassword(password, email)) throw new Rejection({ errors: { password: [COMMON_PASSWORD_ERROR] } }, 400)
}
