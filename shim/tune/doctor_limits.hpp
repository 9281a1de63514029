// What `switchyard doctor` calls a finding. Its help, its JSON and shim/tune/README.md have these figures.
#pragma once

namespace switchyard::shim::tune::doctor_limits {

// A finding holds in each repetition. A disturbance seldom lasts through all of them.
inline constexpr int repetitions = 5;
// Below, a finding would be about single messages.
inline constexpr double least_us = 5;
// A cliff: a call takes so many times as long as a call that moves more, or as several smaller calls that
// move as much. On two cores, healthy sizes differ by up to 1.3.
inline constexpr double cliff = 2;
// A function takes so many times as long as other functions that do the same. On two cores, healthy ones take
// up to 1.8 times as long.
inline constexpr double guideline = 2;
// A general function takes so many times as long as a special one. It cannot know that all blocks are equal, so
// it may be slower, but not by far: healthy ones take up to 1.9 times as long.
inline constexpr double generality = 3;

} // namespace switchyard::shim::tune::doctor_limits
