"""Three hundred sentences made from the almanac by many templates: true, outdated, too early, wrong, unknown, no claims."""
