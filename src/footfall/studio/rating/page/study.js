// The page of a rating study: shows one clip after the other and sends its grade.

const at = (id) => document.getElementById(id);
const KEY = "footfall-study-rater";
let rater = null;

async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  };
  const response = await fetch(path, options);
  const found = await response.json();
  if (!response.ok) throw Object.assign(new Error(found.error), { status: response.status });
  return found;
}

function show(name) {
  for (const id of ["welcome", "rating", "thanks"]) at(id).hidden = id !== name;
}

function next() {
  const clip = rater.clips.find((id) => !(id in rater.grades));
  const done = Object.keys(rater.grades).length;
  at("progress").textContent = `${Math.min(done + 1, rater.clips.length)} of ${rater.clips.length}`;
  if (clip === undefined) {
    at("progress").textContent = "";
    at("clip").removeAttribute("src");
    show("thanks");
    return;
  }
  show("rating");
  at("clip").dataset.clip = clip;
  at("clip").src = `clips/${clip}`;
}

async function grade(value) {
  const clip = at("clip").dataset.clip;
  const buttons = [...at("grades").children];
  for (const button of buttons) button.disabled = true;
  at("problem").textContent = "";
  try {
    await ask(`api/raters/${rater.id}/grades`, { clip, grade: value });
    rater.grades[clip] = value;
  } catch (error) {
    // Another tab may have graded it: what the server has counts.
    if (error.status === 409) rater = await ask(`api/raters/${rater.id}`);
    else at("problem").textContent = error.message;
  }
  for (const button of buttons) button.disabled = false;
  if (!at("problem").textContent) next();
}

async function start() {
  try {
    rater = await ask("api/raters", {});
    sessionStorage.setItem(KEY, rater.id);
    next();
  } catch (error) {
    at("problem").textContent = error.message;
  }
}

async function open() {
  const study = await ask("api/study");
  at("count").textContent = study.shown;
  for (let value = study.least; value <= study.most; value++) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = value;
    button.addEventListener("click", () => void grade(value));
    at("grades").append(button);
  }
  at("start").addEventListener("click", () => void start());
  const known = sessionStorage.getItem(KEY);
  if (known !== null) {
    try {
      rater = await ask(`api/raters/${encodeURIComponent(known)}`);
      next();
      return;
    } catch {
      sessionStorage.removeItem(KEY);
    }
  }
  show("welcome");
}

open().catch((error) => { at("problem").textContent = error.message; });
