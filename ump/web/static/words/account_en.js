// English words of the page of an account. account_ja.js and account_zh.js have the same keys.

export const words = {
  title: "Your account", user: "User", password: "Password", logIn: "Log in", logOut: "Log out here",
  begin: "New here? Make an account", name: "Name, as others see it", newPassword: "New password, 12 characters or more", guestNote: "The games that you have played with this browser become those of the account.", register: "Make the account",
  provider: (name) => `Log in with ${name}`, choose: "Choose the name under which you play here.", refused: "The provider has not let you in.",
  noUsers: "This server has no accounts: everybody plays as a guest.",
  sessions: "Where you are logged in", here: "This browser", since: (when) => `since ${when}`, until: (when) => `until ${when}`, end: "Log out", program: "A program",
  changePassword: "Password", oldPassword: "Password until now", change: "Change the password", changed: "The password has been changed, and all other browsers were logged out.",
  identities: "Other ways to log in", noIdentities: "None yet.", addIdentity: (name) => `Add a login with ${name}`, linked: "Added: from now on you can log in with it.",
  addSure: (name) => `Add this identity to your account? Whoever has it at ${name} logs in as you from then on.`,
  tokens: "Access tokens", tokensNote: "With a token a program logs in as you, without your password.", noTokens: "You have no tokens.", revoke: "Revoke",
  label: "What it is for", bot: "Only for the bot of this name", makeToken: "Make a token", madeNote: "Copy the token now: it is not shown again.",
  deletion: "Delete the account", deletionNote: "Your games stay, with a deleted user in your place. Nobody else gets your name.",
  nameAgain: "Your name, to be sure", delete: "Delete for good", deleted: "Your account has been deleted.",
};
